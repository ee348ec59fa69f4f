"""Files that models of other tools include and that need not be there: what they define is built in."""

from __future__ import annotations

from typing import Final

# As `c11_cos.cat` of herd7: the writes that are not atomic have no order there.
_ORDERS_OF_ATOMICS: Final = r"""
with mo from generate_orders(W & (A | IW), co0)
let co = mo
let moi = mo & int and moe = mo & ext
let coi = moi and coe = moe
let fr = (rf^-1 ; mo) \ id
let fri = fr & int and fre = fr & ext
"""

# What each says beyond the prelude.
BUILT_IN_FILES: Final = {
    "stdlib.cat": "",
    "basic.cat": "",
    "cross.cat": "",
    "cos.cat": "",
    "cos-opt.cat": "",
    "c11_cos.cat": _ORDERS_OF_ATOMICS,
    "c11_los.cat": "",
}

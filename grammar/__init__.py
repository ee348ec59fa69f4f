"""The Lark grammars, shipped as package data of `mcm.grammar`."""

"""LALR parsers: lark makes their tables from `grammar/` when the package is built, and a driver follows them."""

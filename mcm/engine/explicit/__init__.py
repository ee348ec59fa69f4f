"""The explicit engine: search over reads-from with bit-row relations."""

"""Reports as pages: one for each test, and an index of many. They need no network, and most of them no script."""

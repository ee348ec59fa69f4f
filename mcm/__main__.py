"""`python -m mcm` is the command `mcm`."""

from mcm.cli.main import main

if __name__ == "__main__":
    main()

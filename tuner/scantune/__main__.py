"""The program: python -m scantune, or scantune."""

import sys

_INTERRUPTED = 130


def main() -> None:
    try:
        # Imports take half a second, and building the commands follows: Ctrl-C may interrupt both.
        from scantune.cli import app

        app.main()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()

"""The program: python -m scantune, or scantune."""

import sys

_INTERRUPTED = 130


def main() -> None:
    try:
        # Half a second of imports, and what is made of them before a command begins: Ctrl-C may interrupt both.
        from scantune.cli import app

        app.main()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()

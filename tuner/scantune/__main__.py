"""The program: python -m scantune, or scantune. With --cmake-dir alone it tells where the CMake package is."""

import sys

_INTERRUPTED = 130


def main() -> None:
    try:
        # Imports take half a second, and building the commands follows: Ctrl-C may interrupt both.
        if sys.argv[1:] == ["--cmake-dir"]:
            _print_cmake_directory()
            return
        from scantune.cli import app

        app.main()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _print_cmake_directory() -> None:
    from scantune.errors import ScantuneError
    from scantune.paths import cmake_directory

    try:
        print(cmake_directory())
    except ScantuneError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

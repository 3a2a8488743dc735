"""python -m scantune."""

from scantune.cli import main

main()

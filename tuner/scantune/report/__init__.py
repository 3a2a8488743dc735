"""Reports of results: tables and progress for people, messages for programs."""

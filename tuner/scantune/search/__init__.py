"""What is tried next, within a budget: a run over its cells, and the search of each."""

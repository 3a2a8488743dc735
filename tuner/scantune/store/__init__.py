"""Storage: the tuning database, whose content is checked when it is read, and its files for other machines."""

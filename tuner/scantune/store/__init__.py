"""What is kept: the tuning database, read with distrust, and its files for other machines."""

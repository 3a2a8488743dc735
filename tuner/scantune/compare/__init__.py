"""What is decided by holding things side by side: configs by time, records of others against ours."""

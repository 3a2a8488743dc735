"""What is spoken of: problems, configs, devices, measurements, records. Starts nothing and opens no file."""

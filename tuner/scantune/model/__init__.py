"""The nouns of the tuner: problems, configs, devices, measurements, records. They start no process."""

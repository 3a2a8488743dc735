"""Starts the fake worker, whose module Python then reads compiled, as it does not read the program itself."""

import fake_worker

fake_worker.main()

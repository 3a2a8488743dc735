"""What is asked of scantune-worker: workers and their choice, and what they compile, time, verify and select."""

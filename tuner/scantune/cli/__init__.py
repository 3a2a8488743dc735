"""The commands: their options, what they call, and what they print."""

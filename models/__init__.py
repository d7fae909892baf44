"""The recipe that made the shipped model; nothing of it is needed to run it."""

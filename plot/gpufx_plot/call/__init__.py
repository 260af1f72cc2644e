"""A call of a verb: its arguments, what it prints and writes, how it ends."""

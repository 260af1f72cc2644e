"""Archives as they are read: lines, checks, cases."""

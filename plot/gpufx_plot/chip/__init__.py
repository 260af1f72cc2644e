"""What archives say of a chip: quantities, and what an algorithm would take on it."""

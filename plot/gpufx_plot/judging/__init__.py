"""Archives held against each other, claims held against archives."""

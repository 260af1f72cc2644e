"""Statistics that know nothing of archives."""

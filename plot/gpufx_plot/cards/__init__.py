"""Many archives of many cards: datasets, acceptance, fleets, history."""

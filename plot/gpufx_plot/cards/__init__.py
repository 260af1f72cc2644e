"""Many archives of many cards: acceptance, fleets, tables of Parquet."""

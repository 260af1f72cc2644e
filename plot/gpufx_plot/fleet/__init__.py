"""Many archives: a folder of them becomes a Parquet dataset (ingest.py, dataset.py) that is asked in SQL (query.py),
laid out card by card (cards.py), reported (report.py) and followed over time (history.py)."""

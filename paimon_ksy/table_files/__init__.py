"""Other files of tables: blob files, their references, row files, sidecars of manifests."""

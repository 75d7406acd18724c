"""Paimon's binary rows."""

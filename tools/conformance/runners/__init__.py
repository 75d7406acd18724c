"""Runners of the conformance kit: programs that answer the requests of conformance/README.md."""

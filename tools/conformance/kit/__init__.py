"""The cases of conformance/, made by the Paimon library: see `tools.conformance.kit.__main__`."""

"""The generator: from specs/ to generated/.

No module here knows a format, and no template decides anything.
"""

"""Hypothesis strategies of valid and broken data in formats of generated packages.

They need the extra `testing`.
"""

from .encoders import assert_encodes as assert_encodes
from .mutations import Anatomy as Anatomy
from .mutations import Mutation as Mutation
from .mutations import mutated as mutated
from .mutations import mutations as mutations
from .strategies import encoded as encoded
from .strategies import objects as objects

"""Hypothesis strategies of valid and broken data in the formats of specs/, to test readers.

They need the extra `testing`.
"""

from paimon_ksy.testing.encoders import assert_encodes as assert_encodes
from paimon_ksy.testing.mutations import Anatomy as Anatomy
from paimon_ksy.testing.mutations import Mutation as Mutation
from paimon_ksy.testing.mutations import mutated as mutated
from paimon_ksy.testing.mutations import mutations as mutations
from paimon_ksy.testing.strategies import encoded as encoded
from paimon_ksy.testing.strategies import objects as objects

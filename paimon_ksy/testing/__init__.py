"""Hypothesis strategies of valid and broken data in the formats of specs/, to test readers.

They need the extra `testing`. `ksykit.testing` has those of other packages.
"""

from functools import partial

from ksykit.testing import Anatomy as Anatomy
from ksykit.testing import Mutation as Mutation
from ksykit.testing import mutations as mutations
from ksykit.testing import strategies
from ksykit.testing.mutations import mutated as _mutated

from paimon_ksy import generated
from paimon_ksy.testing.encoders import assert_encodes as assert_encodes

encoded = partial(strategies.encoded, package=generated)
objects = partial(strategies.objects, package=generated)
mutated = partial(_mutated, package=generated)

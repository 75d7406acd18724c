"""A Paimon table as pypaimon exposes it: schemas, snapshots, manifests, commits.

Only this package uses pypaimon. It returns plain values that can be pickled, so workers need no
table.
"""

from paimon_ksy.errors import ConflictError as ConflictError
from paimon_ksy.table.io.paths import REMEDY as REMEDY
from paimon_ksy.table.store.blobs import blob_descriptor as blob_descriptor
from paimon_ksy.table.store.opening import absolute as absolute
from paimon_ksy.table.store.opening import pypaimon_options as pypaimon_options
from paimon_ksy.table.store.snapshots import HINTS as HINTS
from paimon_ksy.table.store.snapshots import REMEDY_HINT as REMEDY_HINT
from paimon_ksy.table.store.table import Table as Table
from paimon_ksy.table.store.table import TableOrPath as TableOrPath

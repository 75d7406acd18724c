"""Files that are read by range, so that a large file costs only what is needed of it."""

from .source import Source as Source
from .source import open_source as open_source
from .source import read_view as read_view

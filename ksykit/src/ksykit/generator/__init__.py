"""From specs (.ksy) to readers, writers and strategies: ksykit/docs/reference.md describes it."""

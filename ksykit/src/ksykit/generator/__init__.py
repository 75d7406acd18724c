"""From specs (.ksy) to readers, writers and strategies: docs/project/generator.md describes it."""

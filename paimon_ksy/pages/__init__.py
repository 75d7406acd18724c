"""HTML: pages that stand alone, and fragments for notebooks. It knows nothing of what they show."""

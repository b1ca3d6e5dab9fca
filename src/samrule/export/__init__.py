"""A rule list in other words."""

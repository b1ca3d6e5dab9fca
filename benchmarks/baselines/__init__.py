"""Published algorithms that no package index has, written here to compare with."""

"""Tables that Spark holds."""

"""How published results get into the database: from their tables, or as bundled figures."""

"""Window joins, tuple at a time: operators, trees of them, and slack that follows a recall."""

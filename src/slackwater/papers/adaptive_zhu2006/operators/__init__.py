"""Window joins and what surrounds them, tuple at a time, and plans that change under them."""

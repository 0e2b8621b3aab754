"""What people write besides Python, made into queries: pipeline files."""

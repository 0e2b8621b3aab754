"""State spread over groups by key: each task works on some groups as the driver does on all."""

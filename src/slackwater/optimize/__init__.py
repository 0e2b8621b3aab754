"""Which plan a join should have: costs in two resources, and searches of the space of plans."""

"""Several machines with a plan each, and how partition groups go from one to another."""

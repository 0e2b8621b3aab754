"""Estimates on demand by prods. Reference: Bhat 2011."""

"""Prods, tuple at a time and in virtual time: plans that answer before their windows close."""

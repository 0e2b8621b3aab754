"""Whose results come first under overload. Reference: Works and Rundensteiner 2015."""

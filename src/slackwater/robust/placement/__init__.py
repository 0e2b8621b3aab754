"""Which operators run where, so that as many plans of a set as possible fit."""

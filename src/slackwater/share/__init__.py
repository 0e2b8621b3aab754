"""Buffers that several queries share: where rows of a stream wait, and for whom how long."""

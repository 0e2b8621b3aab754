"""Two engines for the same operators: row by row as windows move, and statements over all of it."""

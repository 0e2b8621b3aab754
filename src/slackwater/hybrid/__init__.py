"""Which engine does each step: row by row as they come, or column by column over whole windows."""

"""Plans that are searched and changed while they run. Reference: Zhu 2006."""

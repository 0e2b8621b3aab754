"""Row and column engines under one plan: chapter 6 of Ji (2018)."""

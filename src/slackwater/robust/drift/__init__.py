"""What to do when statistics leave the space that was planned for."""

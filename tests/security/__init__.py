"""What an attacker tried, and what has to hold: one module for each wall."""

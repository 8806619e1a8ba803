"""The dashboard in a real Chromium: what a person sees, presses and hears read out."""

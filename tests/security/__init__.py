"""Attacks, and the rules that must hold against them: one module for each rule."""

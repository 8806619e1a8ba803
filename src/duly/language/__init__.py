"""Words about time and replies to reminders, in English, German, Croatian, Serbian, Spanish, French and Italian.

A phrase goes this way: `text` cuts it into tokens, `grammar` reads the tokens as atoms and the atoms as clauses,
`meaning` makes a plan of the clauses, and a plan knows its trigger. `describe` goes back: `decompile` makes a plan of a
trigger, and the `voice` of a language says it. `replies` reads the answers to reminders. `languages` holds one file for
each language; everything else is the same for all of them.

Everything here is pure: the present is an argument. The public names are in `duly.phrases`.
"""

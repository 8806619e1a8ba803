"""The grammar of times: one for all languages.

`scan` turns tokens into atoms. Words are ambiguous ("morgen" is tomorrow and the morning, "may" a month), so it gives
several rows of atoms, the likeliest first. `sentences` reads a row from left to right into `clauses`; the first row
that it can read to its end is the meaning, and a row that it cannot read to its end is dropped.

Within a row the readers never try two ways at once. A reader (`clocks`, `days`, `lengths`, `rhythms`, …) looks at the
kinds of the next few atoms and either moves the cursor past what it understood, or puts the cursor back and returns
None. These ambiguities are decided by what stands around an atom:

- A number is an hour behind "at", a day of the month behind "the" or before a month, a length of time before a unit,
  and a rhythm behind "every". A number without any of these is an hour only after a day was named ("tomorrow 8").
- "17h" is a length of time, but an hour of the day once a day was named or where a part of the day follows.
- "To" ends a range ("9 to 5") and counts minutes before an hour ("ten to five"). The first time of a range is therefore
  read without such idioms.
- "And" joins times, days, lengths of time and clauses. It joins the smallest that it can: first two lengths of time,
  then two times or two days, and only then two clauses.
- A weekday is one day ("am Montag") or a habit ("montags", "le lundi"); the article or "every" decides.
- "Next" is the next week for a weekday; "coming" is the first one after today.

Two errors end a reading. `MisreadError`: these atoms make no sentence, try the next row. `ImpossibleError`: the
sentence is clear, but there is no such time or it could mean two; no other row is tried, so that a phrase which is
refused for a reason is not read as another one by chance.
"""

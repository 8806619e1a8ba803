-- A reminder may be for several people: each has their own record of the run.
ALTER TABLE reminders DROP CONSTRAINT reminders_pkey;
ALTER TABLE reminders ADD PRIMARY KEY (run_id, user_id);

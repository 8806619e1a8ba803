-- Each index that a row is in is a page more in the commit that writes the row.

-- The entries of the audit are in the order of their links, and are found by halving.
DROP INDEX audit_link;

-- Old entries of the journal are found kind by kind.
DROP INDEX events_at;

-- The entries of the audit are in the order of their links, and are found by halving.
DROP INDEX audit_link;

-- The audit: who changed what, chained by hashes. Rows are added; nothing changes them, and only pruning removes them,
-- after it has moved the cut in `audit_head`.

CREATE TABLE audit (
    seq         INTEGER PRIMARY KEY,
    link        INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    actor       TEXT NOT NULL,
    schedule_id TEXT,
    run_id      TEXT,
    data        TEXT NOT NULL
) STRICT;

CREATE INDEX audit_schedule ON audit (schedule_id, seq) WHERE schedule_id IS NOT NULL;
CREATE INDEX audit_link ON audit (link);

CREATE TABLE audit_links (
    number INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    hash   TEXT NOT NULL
) STRICT;

CREATE TABLE audit_head (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    number     INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    cut_number INTEGER NOT NULL,   -- the last link that pruning removed
    cut_hash   TEXT NOT NULL,
    cut_seq    INTEGER NOT NULL
) STRICT;

INSERT INTO audit_head VALUES (1, 0, printf('%064d', 0), 0, 0, printf('%064d', 0), 0);

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'entries of the audit cannot be changed'); END;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit WHEN OLD.link > (SELECT cut_number FROM audit_head)
BEGIN SELECT raise(ABORT, 'entries of the audit are removed by pruning only'); END;

CREATE TRIGGER audit_links_unchanged BEFORE UPDATE ON audit_links
BEGIN SELECT raise(ABORT, 'links of the audit cannot be changed'); END;

CREATE TRIGGER audit_links_kept BEFORE DELETE ON audit_links WHEN OLD.number > (SELECT cut_number FROM audit_head)
BEGIN SELECT raise(ABORT, 'links of the audit are removed by pruning only'); END;

CREATE TRIGGER audit_head_kept BEFORE DELETE ON audit_head
BEGIN SELECT raise(ABORT, 'the head of the audit cannot be removed'); END;

CREATE TRIGGER audit_head_grows BEFORE UPDATE ON audit_head
WHEN NEW.number < OLD.number OR NEW.seq < OLD.seq OR NEW.cut_number < OLD.cut_number OR NEW.cut_number > OLD.number
BEGIN SELECT raise(ABORT, 'the head of the audit only moves forward'); END;

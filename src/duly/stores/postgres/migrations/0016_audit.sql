-- The audit: who changed what, chained by hashes. Rows are added; nothing changes them, and only pruning removes them,
-- after it has moved the cut in `audit_head`.

CREATE TABLE audit (
    seq         BIGINT PRIMARY KEY,
    link        BIGINT NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL,
    actor       TEXT COLLATE "C" NOT NULL,
    schedule_id TEXT COLLATE "C",
    run_id      TEXT COLLATE "C",
    data        TEXT NOT NULL
);

CREATE INDEX audit_schedule ON audit (schedule_id, seq) WHERE schedule_id IS NOT NULL;
CREATE INDEX audit_link ON audit (link);

CREATE TABLE audit_links (
    number BIGINT PRIMARY KEY,
    at     TIMESTAMPTZ NOT NULL,
    hash   TEXT NOT NULL
);

CREATE TABLE audit_head (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    number     BIGINT NOT NULL,
    hash       TEXT NOT NULL,
    seq        BIGINT NOT NULL,
    cut_number BIGINT NOT NULL,   -- the last link that pruning removed
    cut_hash   TEXT NOT NULL,
    cut_seq    BIGINT NOT NULL
);

INSERT INTO audit_head VALUES (1, 0, repeat('0', 64), 0, 0, repeat('0', 64), 0);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries and links of the audit cannot be changed';
END
$$;

CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (to_jsonb(OLD) ->> TG_ARGV[0])::bigint > (SELECT cut_number FROM audit_head) THEN
        RAISE EXCEPTION 'entries and links of the audit are removed by pruning only';
    END IF;
    RETURN OLD;
END
$$;

CREATE FUNCTION keep_audit_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'UPDATE' THEN
        RAISE EXCEPTION 'the head of the audit cannot be removed';
    END IF;
    IF NEW.number < OLD.number OR NEW.seq < OLD.seq
       OR NEW.cut_number < OLD.cut_number OR NEW.cut_number > OLD.number THEN
        RAISE EXCEPTION 'the head of the audit only moves forward';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER audit_unchanged BEFORE UPDATE OR TRUNCATE ON audit
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION keep_audit('link');
CREATE TRIGGER audit_links_unchanged BEFORE UPDATE OR TRUNCATE ON audit_links
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_links_kept BEFORE DELETE ON audit_links FOR EACH ROW EXECUTE FUNCTION keep_audit('number');
CREATE TRIGGER audit_head_grows BEFORE UPDATE OR DELETE ON audit_head
FOR EACH ROW EXECUTE FUNCTION keep_audit_head();
CREATE TRIGGER audit_head_kept BEFORE TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_head();

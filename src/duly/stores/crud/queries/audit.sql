-- name: audit_head
-- Read where the chain of the audit ends, and where it was cut.
SELECT number, hash, seq, cut_number, cut_hash, cut_seq FROM audit_head;

-- name: move_audit_head
-- Set where the chain of the audit ends, and where it was cut.
INSERT INTO audit_head (id, number, hash, seq, cut_number, cut_hash, cut_seq)
VALUES (1, :number, :hash, :seq, :cut_number, :cut_hash, :cut_seq)
ON CONFLICT (id) DO UPDATE SET number = excluded.number, hash = excluded.hash, seq = excluded.seq,
    cut_number = excluded.cut_number, cut_hash = excluded.cut_hash, cut_seq = excluded.cut_seq;

-- name: audit_tail
-- Read the last link and the last entry, for a store whose head was removed by hand.
SELECT number, hash, (SELECT coalesce(max(seq), 0) FROM audit) FROM audit_links ORDER BY number DESC LIMIT 1;

-- name: audit_link
-- Add a link to the chain.
INSERT INTO audit_links (number, at, hash) VALUES (:number, :at, :hash);

-- name: list_audit
-- Read a page of the audit, newest entries first.
SELECT seq, link, at, kind, actor, schedule_id, run_id, data FROM audit
WHERE seq > :after AND seq < :before
  AND (:since::timestamptz IS NULL OR at >= :since)
  AND (:until::timestamptz IS NULL OR at < :until)
  AND (:actor::text IS NULL OR actor = :actor)
  AND (:schedule_id::text IS NULL OR schedule_id = :schedule_id)
  AND (:any_kind OR kind = ANY(:kinds))
  AND (:namespace::text IS NULL
       OR schedule_id IN (SELECT id FROM schedules WHERE namespace = :namespace))
  AND (:project::text IS NULL
       OR schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
ORDER BY seq DESC
LIMIT :limit;

-- name: audit_links
-- Read links after a number, in order.
SELECT number, at, hash FROM audit_links WHERE number > :after ORDER BY number LIMIT :limit;

-- name: audit_ends
-- Read the first and the last link that there should be, that there are, and that have entries.
SELECT (SELECT cut_number + 1 FROM audit_head), (SELECT number FROM audit_head),
       (SELECT min(number) FROM audit_links), (SELECT max(number) FROM audit_links),
       (SELECT link FROM audit ORDER BY seq LIMIT 1), (SELECT link FROM audit ORDER BY seq DESC LIMIT 1);

-- name: audit_entries_between
-- Read the entries after one number up to another, in order.
SELECT seq, link, at, kind, actor, schedule_id, run_id, data FROM audit
WHERE seq > :after AND seq <= :upto ORDER BY seq;

-- name: audit_stray
-- Count rows beyond the end of the chain, or before its cut.
SELECT (SELECT count(*) FROM audit, audit_head AS head
        WHERE audit.seq > head.seq OR audit.link > head.number
           OR audit.seq <= head.cut_seq OR audit.link <= head.cut_number)
     + (SELECT count(*) FROM audit_links, audit_head AS head
        WHERE audit_links.number > head.number OR audit_links.number <= head.cut_number);

-- name: last_audited
-- Find the number of the last entry up to a link. Entries are in the order of their links, so the range in which it is
-- can be halved again and again: an index of links would be a page more in every commit.
WITH RECURSIVE halved (low, high) AS (
    SELECT coalesce((SELECT min(seq) FROM audit), 1) - 1, coalesce((SELECT max(seq) FROM audit), 0)
    UNION ALL
    SELECT CASE WHEN (SELECT link FROM audit WHERE seq <= (low + high + 1) / 2 ORDER BY seq DESC LIMIT 1) <= :number
                THEN (low + high + 1) / 2 ELSE low END,
           CASE WHEN (SELECT link FROM audit WHERE seq <= (low + high + 1) / 2 ORDER BY seq DESC LIMIT 1) <= :number
                THEN high ELSE (low + high + 1) / 2 - 1 END
    FROM halved WHERE low < high
)
SELECT low FROM halved WHERE low >= high;

-- name: prune_audit
-- Delete the entries of links that were cut off.
DELETE FROM audit WHERE seq <= :seq;

-- name: prune_audit_links
-- Delete links that were cut off.
DELETE FROM audit_links WHERE number <= :number;

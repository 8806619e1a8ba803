-- Which node is sending a notice, so that another one sends it as soon as that node is lost.
ALTER TABLE notices ADD COLUMN taken_by TEXT;
CREATE INDEX notices_taken ON notices (taken_by) WHERE taken_by IS NOT NULL;

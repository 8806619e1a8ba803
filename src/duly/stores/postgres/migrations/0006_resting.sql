-- Why a schedule is not planned for now: its folder, program or job is missing. It goes on once that is back.

ALTER TABLE schedules ADD COLUMN resting TEXT;
ALTER TABLE schedules ADD COLUMN resting_since TIMESTAMPTZ;

CREATE INDEX schedules_resting ON schedules (id) WHERE resting IS NOT NULL;

-- The audit trail vouches for what the server recorded, stays small under a flood of refusals, and has an end.
--
-- Columns without a default: the migration takes milliseconds, however long the trail is.

ALTER TABLE audit_events ADD COLUMN mac bytea;
COMMENT ON COLUMN audit_events.mac IS 'proves that the server recorded the event; see src/audit/event-proof.ts. Null: recorded by a version that made none';

ALTER TABLE audit_seals ADD COLUMN unproven bigint[];
COMMENT ON COLUMN audit_seals.unproven IS 'events of the seal that the server did not record; null: sealed by a version that did not look';

-- What was archived and removed: the chain goes on behind it.
CREATE TABLE audit_archive (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  seal_id bigint NOT NULL,
  last_event_id bigint NOT NULL,
  digest bytea NOT NULL,
  mac bytea NOT NULL
);
COMMENT ON TABLE audit_archive IS 'the last seal that was archived and removed with its events; no row: nothing was';

-- Refusals beyond the limits, until they become one event that counts them.
CREATE TABLE audit_refusals (
  key bytea NOT NULL,
  ends_at timestamptz NOT NULL,
  event jsonb NOT NULL,
  count bigint NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (key, ends_at)
);
COMMENT ON TABLE audit_refusals IS 'alike refusals of one hour that have no event of their own; see src/audit/refusals.ts';
CREATE INDEX audit_refusals_ends_at ON audit_refusals (ends_at);

CREATE OR REPLACE FUNCTION audit_events_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM audit_archive WHERE last_event_id >= OLD.id) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE OR REPLACE FUNCTION audit_seals_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM audit_archive WHERE seal_id >= OLD.id) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_seals is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

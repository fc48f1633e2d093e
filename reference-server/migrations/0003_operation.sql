-- The sealed audit trail, shared rate limits, and the indexes that searching and housekeeping use.

CREATE TABLE audit_seals (
  id bigint PRIMARY KEY CHECK (id > 0),
  first_event_id bigint NOT NULL UNIQUE,
  last_event_id bigint NOT NULL,
  event_count integer NOT NULL CHECK (event_count > 0),
  events_digest bytea NOT NULL,
  previous_digest bytea NOT NULL UNIQUE,
  digest bytea NOT NULL,
  mac bytea NOT NULL,
  sealed_at timestamptz NOT NULL,
  CHECK (last_event_id >= first_event_id)
);
COMMENT ON TABLE audit_seals IS 'each row covers every event from first_event_id to last_event_id; see src/audit/README.md';

CREATE FUNCTION audit_seals_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_seals is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE ON audit_seals
  FOR EACH ROW EXECUTE FUNCTION audit_seals_refuse_change();
CREATE TRIGGER audit_seals_no_truncate BEFORE TRUNCATE ON audit_seals
  FOR EACH STATEMENT EXECUTE FUNCTION audit_seals_refuse_change();

DROP INDEX audit_events_type;
DROP INDEX audit_events_actor;
DROP INDEX audit_events_subject;
CREATE INDEX audit_events_type ON audit_events (type, at, id);
CREATE INDEX audit_events_actor_id ON audit_events (actor_id, at, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_events_subject ON audit_events (subject, at, id) WHERE subject IS NOT NULL;
CREATE INDEX audit_events_client_id ON audit_events (client_id, at, id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_events_outcome ON audit_events (outcome, at, id) WHERE outcome <> 'success';

CREATE UNLOGGED TABLE rate_limits (
  key text NOT NULL,
  minute integer NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (key, minute)
) WITH (fillfactor = 50);
COMMENT ON TABLE rate_limits IS 'requests per minute since 1970; unlogged, because forgetting them after a crash harms nobody';
CREATE INDEX rate_limits_minute ON rate_limits (minute);

-- A used code is kept as long as the log-in it produced, so that its second use is recognised.
DROP INDEX authorization_codes_expires_at;
CREATE INDEX authorization_codes_expires_at ON authorization_codes (expires_at)
  WHERE used_at IS NULL OR grant_id IS NULL;
CREATE INDEX grants_revoked_at ON grants (revoked_at) WHERE revoked_at IS NOT NULL;

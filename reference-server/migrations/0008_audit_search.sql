-- How the audit trail is searched and counted, and what administrators set for the installation.
--
-- audit_events itself is not touched: no column, no index. So this migration takes milliseconds however many events there
-- are, and storing an event costs what it did. The tables below are filled behind the seals in the background; after an
-- upgrade the server begins with the oldest event and catches up while it runs.

CREATE TABLE audit_search (
  event_id bigint PRIMARY KEY,
  at timestamptz NOT NULL,
  words tsvector NOT NULL
);
COMMENT ON TABLE audit_search IS 'the words of each sealed event; see src/audit/event-words.ts';
-- A short pending list: every search reads it from end to end.
CREATE INDEX audit_search_words ON audit_search USING gin (words) WITH (gin_pending_list_limit = 256);

CREATE TABLE audit_index_progress (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  through_event_id bigint NOT NULL,
  through_at timestamptz
);
COMMENT ON TABLE audit_index_progress IS 'every event up to this one is in audit_search, audit_counts and audit_resource_counts';
INSERT INTO audit_index_progress (through_event_id) VALUES (0);

CREATE TABLE audit_counts (
  hour timestamptz NOT NULL,
  type text NOT NULL,
  outcome text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (hour, type, outcome)
);

CREATE TABLE audit_resource_counts (
  day date NOT NULL,
  resource text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (day, resource)
);
COMMENT ON TABLE audit_resource_counts IS 'what was issued for each resource identifier';

CREATE TABLE skill_reads (
  day date NOT NULL,
  skill_id text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (day, skill_id)
);
COMMENT ON TABLE skill_reads IS 'how often the instructions of a skill were read; counted in memory, added every few seconds';

ALTER TABLE settings
  ADD COLUMN instructions text,
  ADD COLUMN logo bytea,
  ADD COLUMN logo_type text CHECK (logo_type IN ('image/png', 'image/svg+xml')),
  ADD COLUMN logo_digest text,
  ADD CHECK (num_nonnulls(logo, logo_type, logo_digest) IN (0, 3)),
  ADD CHECK (octet_length(logo) <= 65536);
COMMENT ON COLUMN settings.instructions IS 'what agents are told by /api/me';

ALTER TABLE skill_catalogs ADD COLUMN leased_until timestamptz;
COMMENT ON COLUMN skill_catalogs.leased_until IS 'a process is fetching it until then at the latest';

-- Which proofs and assertions were used, until they expire.
-- A logged table on purpose: an UNLOGGED one is empty after a crash, and what was used could be used again.
CREATE TABLE IF NOT EXISTS "authz_replays" (
  key text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX IF NOT EXISTS "authz_replays_expires_at_idx" ON "authz_replays" (expires_at);

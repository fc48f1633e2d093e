-- Which keys have sealed credentials, and what the server itself keeps sealed with them.

CREATE TABLE credential_keys (
  key_id text PRIMARY KEY,
  activated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE credential_keys IS 'each key that was AUTHZ_CREDENTIAL_ENCRYPTION_KEY; the newest is the one that everything is to be sealed with';

CREATE TABLE sealed_secrets (
  name text PRIMARY KEY,
  secret bytea NOT NULL
);
COMMENT ON COLUMN sealed_secrets.secret IS 'AES-256-GCM, bound to the row''s name; "audit-seal" is the key of the seals of the audit trail';

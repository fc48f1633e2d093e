-- Sign-in, consent, log-ins of clients, and everything that is used once.
-- Secrets are stored as SHA-256 only.

CREATE TABLE browser_sessions (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  auth_time timestamptz NOT NULL,
  amr text[] NOT NULL,
  signed_in_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
COMMENT ON COLUMN browser_sessions.auth_time IS 'when the provider authenticated the person; signed_in_at is when we heard of it';
CREATE INDEX browser_sessions_user_id ON browser_sessions (user_id);
CREATE INDEX browser_sessions_provider_id ON browser_sessions (provider_id);
CREATE INDEX browser_sessions_expires_at ON browser_sessions (expires_at);

CREATE TABLE authorization_requests (
  id uuid PRIMARY KEY,
  browser_hash bytea NOT NULL,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  state text,
  nonce text,
  scopes text[] NOT NULL,
  code_challenge text NOT NULL,
  dpop_jkt text NOT NULL,
  prompts text[] NOT NULL,
  max_age_seconds integer,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  answered_at timestamptz
);
CREATE INDEX authorization_requests_client_id ON authorization_requests (client_id);
CREATE INDEX authorization_requests_expires_at ON authorization_requests (expires_at);

CREATE TABLE sign_in_attempts (
  state_hash bytea PRIMARY KEY,
  browser_hash bytea NOT NULL,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  authorization_request_id uuid REFERENCES authorization_requests (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE sign_in_attempts IS 'a row is deleted by the one callback that may use it';
CREATE INDEX sign_in_attempts_provider_id ON sign_in_attempts (provider_id);
CREATE INDEX sign_in_attempts_authorization_request_id ON sign_in_attempts (authorization_request_id);
CREATE INDEX sign_in_attempts_expires_at ON sign_in_attempts (expires_at);

CREATE TABLE grants (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  jkt text NOT NULL,
  scopes text[] NOT NULL,
  auth_time timestamptz NOT NULL,
  amr text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  revocation_reason text
);
COMMENT ON TABLE grants IS 'one log-in of a client on a device; the id is "sid" in tokens';
CREATE INDEX grants_user_id ON grants (user_id, created_at DESC);
CREATE INDEX grants_client_id ON grants (client_id);
CREATE INDEX grants_expires_at ON grants (expires_at);

CREATE TABLE authorization_codes (
  hash bytea PRIMARY KEY,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  scopes text[] NOT NULL,
  nonce text,
  code_challenge text NOT NULL,
  dpop_jkt text NOT NULL,
  auth_time timestamptz NOT NULL,
  amr text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  grant_id uuid REFERENCES grants (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX authorization_codes_client_id ON authorization_codes (client_id);
CREATE INDEX authorization_codes_user_id ON authorization_codes (user_id);
CREATE INDEX authorization_codes_grant_id ON authorization_codes (grant_id);
CREATE INDEX authorization_codes_expires_at ON authorization_codes (expires_at);

CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY,
  grant_id uuid NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX refresh_tokens_grant_id ON refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_expires_at ON refresh_tokens (expires_at);

CREATE TABLE dpop_replays (
  key text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX dpop_replays_expires_at ON dpop_replays (expires_at);

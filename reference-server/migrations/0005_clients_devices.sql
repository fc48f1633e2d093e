-- Registered and machine clients, pushed requests, device log-ins, and log-ins that no key is bound to.

ALTER TABLE clients
  ADD COLUMN type text NOT NULL DEFAULT 'public' CHECK (type IN ('public', 'confidential', 'machine')),
  ADD COLUMN keys jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(keys) = 'array'),
  ADD CHECK (type <> 'public' OR keys = '[]'),
  ADD CHECK (type <> 'machine' OR (dpop_bound AND redirect_uris = '{}'));
COMMENT ON COLUMN clients.keys IS 'public keys for private_key_jwt, [{ "kid", "publicJwk" }]; several while one replaces another';

CREATE TABLE machine_scopes (
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  scope_key text NOT NULL REFERENCES scopes (key),
  PRIMARY KEY (client_id, scope_key)
);
CREATE INDEX machine_scopes_scope_key ON machine_scopes (scope_key);

ALTER TABLE resources ADD COLUMN allows_bearer boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN resources.allows_bearer IS 'takes identity assertions that are bound to no key';

COMMENT ON TABLE dpop_replays IS 'what was accepted once: DPoP proofs, and client assertions under "client:"';

ALTER TABLE grants ALTER COLUMN jkt DROP NOT NULL;
COMMENT ON COLUMN grants.jkt IS 'thumbprint of the device''s key; null for a client that cannot use DPoP';
ALTER TABLE authorization_codes ALTER COLUMN dpop_jkt DROP NOT NULL;

ALTER TABLE browser_sessions ADD COLUMN user_agent text;
ALTER TABLE sign_in_attempts ADD COLUMN return_to text;

CREATE TABLE device_authorizations (
  id uuid PRIMARY KEY,
  device_code_hash bytea NOT NULL UNIQUE,
  user_code_hash bytea NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  scopes text[] NOT NULL,
  dpop_jkt text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  interval_seconds integer NOT NULL,
  polled_at timestamptz,
  answer text CHECK (answer IN ('allowed', 'denied')),
  user_id uuid REFERENCES users (id) ON DELETE CASCADE,
  auth_time timestamptz,
  amr text[],
  used_at timestamptz,
  CHECK ((answer IS NOT DISTINCT FROM 'allowed') <= (user_id IS NOT NULL AND auth_time IS NOT NULL AND amr IS NOT NULL)),
  CHECK (used_at IS NULL OR answer IS NOT DISTINCT FROM 'allowed')
);
COMMENT ON COLUMN device_authorizations.user_code_hash IS 'HMAC under the session secret: the code itself is short';
CREATE INDEX device_authorizations_client_id ON device_authorizations (client_id);
CREATE INDEX device_authorizations_user_id ON device_authorizations (user_id);
CREATE INDEX device_authorizations_expires_at ON device_authorizations (expires_at);

ALTER TABLE authorization_requests
  ALTER COLUMN browser_hash DROP NOT NULL,
  ALTER COLUMN redirect_uri DROP NOT NULL,
  ALTER COLUMN code_challenge DROP NOT NULL,
  ALTER COLUMN dpop_jkt DROP NOT NULL,
  ADD COLUMN pushed_hash bytea UNIQUE,
  ADD COLUMN device_id uuid REFERENCES device_authorizations (id) ON DELETE CASCADE,
  ADD CHECK (browser_hash IS NOT NULL OR pushed_hash IS NOT NULL),
  ADD CHECK ((device_id IS NULL) = (redirect_uri IS NOT NULL)),
  ADD CHECK ((device_id IS NULL) = (code_challenge IS NOT NULL));
COMMENT ON COLUMN authorization_requests.pushed_hash IS 'SHA-256 of request_uri''s secret; the first browser that brings it takes the request';
COMMENT ON COLUMN authorization_requests.device_id IS 'the answer goes to this device instead of a redirect URI';
CREATE INDEX authorization_requests_device_id ON authorization_requests (device_id);

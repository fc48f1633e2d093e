-- Connectors to third parties, the accounts that people connected there, and what is on its way.

CREATE TABLE connectors (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]*$'),
  name text NOT NULL,
  kind text NOT NULL,
  issuer text,
  authorization_endpoint text NOT NULL,
  token_endpoint text NOT NULL,
  revocation_endpoint text,
  account_endpoint text,
  token_endpoint_auth_method text NOT NULL,
  authorization_parameters jsonb NOT NULL,
  client_id text NOT NULL,
  key_id text,
  wrapped_key bytea,
  client_secret bytea,
  scopes jsonb NOT NULL,
  required_scopes text[] NOT NULL,
  request_prefixes text[] NOT NULL,
  methods text[] NOT NULL,
  path_templates text[] NOT NULL,
  request_bytes integer NOT NULL CHECK (request_bytes >= 0),
  response_bytes integer NOT NULL CHECK (response_bytes >= 0),
  timeout_seconds integer NOT NULL CHECK (timeout_seconds > 0),
  requests_per_minute integer NOT NULL CHECK (requests_per_minute > 0),
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nulls(key_id, wrapped_key, client_secret) IN (0, 3))
);
COMMENT ON COLUMN connectors.client_secret IS 'sealed with a data key of its own, bound to the row''s id; null for a client without one';
COMMENT ON COLUMN connectors.wrapped_key IS 'the data key, sealed with the key that key_id names';
CREATE INDEX connectors_key_id ON connectors (key_id, id);

-- Nothing removes a connection by the way: its tokens have to be revoked at the third party first.
CREATE TABLE connections (
  id uuid PRIMARY KEY,
  connector_id uuid NOT NULL REFERENCES connectors (id),
  user_id uuid NOT NULL REFERENCES users (id),
  state text NOT NULL CHECK (state IN ('connected', 'reconnect_required', 'disconnecting')),
  reason text,
  account_subject text,
  account_label text,
  granted_scopes text[] NOT NULL,
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  credentials bytea NOT NULL,
  credential_version integer NOT NULL DEFAULT 1,
  access_expires_at timestamptz,
  refreshable boolean NOT NULL,
  refresh_lease text,
  refresh_lease_until timestamptz,
  refresh_uncertain boolean NOT NULL DEFAULT false,
  refresh_not_before timestamptz,
  connected_at timestamptz NOT NULL,
  refreshed_at timestamptz,
  last_used_at timestamptz,
  disconnecting_at timestamptz,
  UNIQUE (user_id, connector_id),
  CHECK ((state = 'reconnect_required') = (reason IS NOT NULL)),
  CHECK ((state = 'disconnecting') = (disconnecting_at IS NOT NULL)),
  CHECK ((refresh_lease IS NULL) = (refresh_lease_until IS NULL))
) WITH (fillfactor = 70);
COMMENT ON COLUMN connections.credentials IS 'the tokens, sealed with a data key of their own, bound to id, connector_id and user_id';
COMMENT ON COLUMN connections.credential_version IS 'raised with every new set of tokens';
COMMENT ON COLUMN connections.refresh_uncertain IS 'a refresh was sent and its outcome is not known: the stored refresh token may be used up';
CREATE INDEX connections_connector_id ON connections (connector_id, state);
CREATE INDEX connections_connected_at ON connections (connected_at, id);
CREATE INDEX connections_key_id ON connections (key_id, id);
CREATE INDEX connections_disconnecting_at ON connections (disconnecting_at) WHERE disconnecting_at IS NOT NULL;

CREATE TABLE connection_attempts (
  id uuid PRIMARY KEY,
  connector_id uuid NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id text,
  scopes text[] NOT NULL,
  session_id uuid,
  state_hash bytea UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  opened_at timestamptz,
  taken_at timestamptz,
  outcome text CHECK (outcome IN ('connected', 'failed')),
  error text,
  CHECK (num_nulls(session_id, state_hash, opened_at) IN (0, 3)),
  CHECK ((outcome IS NOT DISTINCT FROM 'failed') = (error IS NOT NULL))
);
COMMENT ON COLUMN connection_attempts.client_id IS 'the client that began it; null: the person did, on a page of this server';
CREATE INDEX connection_attempts_connector_id ON connection_attempts (connector_id);
CREATE INDEX connection_attempts_user_id ON connection_attempts (user_id);
CREATE INDEX connection_attempts_expires_at ON connection_attempts (expires_at);

-- A row is here while a request is at the third party. Whoever ends it writes the audit event with the same statement.
CREATE TABLE connection_calls (
  id uuid PRIMARY KEY,
  connection_id uuid NOT NULL,
  connector text NOT NULL,
  user_id uuid NOT NULL,
  client_id text,
  request_id text,
  method text NOT NULL,
  host text NOT NULL,
  path_template text NOT NULL,
  started_at timestamptz NOT NULL,
  ends_before timestamptz NOT NULL
);
COMMENT ON COLUMN connection_calls.ends_before IS 'after that no process is at it any more: a row that is still there lost its process';
CREATE INDEX connection_calls_ends_before ON connection_calls (ends_before);

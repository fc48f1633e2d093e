-- People, providers, permissions, resources, settings and the audit trail.

CREATE TABLE settings (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  installation_name text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE clients (
  id text PRIMARY KEY,
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  dpop_bound boolean NOT NULL DEFAULT true,
  built_in boolean NOT NULL DEFAULT false,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE identity_providers (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE,
  name text NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret bytea NOT NULL,
  scopes text[] NOT NULL,
  allowed_email_domains text[] NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN identity_providers.client_secret IS 'AES-256-GCM, bound to the row''s id';

CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text UNIQUE CHECK (email = lower(email)),
  name text,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  last_signed_in_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN users.email IS 'null once a provider has given the address to somebody else';

CREATE TABLE user_identities (
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider_id, subject),
  UNIQUE (user_id, provider_id)
);

CREATE TABLE scopes (
  key text PRIMARY KEY CHECK (key ~ '^[a-z0-9-]+:[a-z0-9-]+$'),
  description text NOT NULL,
  system boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE resources (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]*$'),
  name text NOT NULL,
  resource text NOT NULL UNIQUE,
  authorization_server text NOT NULL,
  client_id text NOT NULL,
  request_prefixes text[] NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  skill_discovery boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE resource_scopes (
  resource_id uuid NOT NULL REFERENCES resources (id) ON DELETE CASCADE,
  scope_key text NOT NULL REFERENCES scopes (key),
  PRIMARY KEY (resource_id, scope_key)
);
CREATE INDEX resource_scopes_scope_key ON resource_scopes (scope_key);

CREATE TABLE assignments (
  id uuid PRIMARY KEY,
  email text NOT NULL CHECK (email = lower(email)),
  scope_key text NOT NULL REFERENCES scopes (key),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (email, scope_key)
);
CREATE INDEX assignments_scope_key ON assignments (scope_key);

CREATE TABLE skill_catalogs (
  resource_id uuid PRIMARY KEY REFERENCES resources (id) ON DELETE CASCADE,
  items jsonb,
  fetched_at timestamptz,
  attempted_at timestamptz,
  refresh_at timestamptz NOT NULL,
  failure text
);
COMMENT ON COLUMN skill_catalogs.items IS 'the last good copy; null until there was one';
CREATE INDEX skill_catalogs_refresh_at ON skill_catalogs (refresh_at);

CREATE TABLE audit_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  type text NOT NULL,
  version integer NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('success', 'denied', 'failed')),
  actor_type text NOT NULL CHECK (actor_type IN ('user', 'client', 'operator', 'system')),
  actor_id text,
  subject text,
  client_id text,
  request_id text,
  data jsonb NOT NULL
);
CREATE INDEX audit_events_at ON audit_events (at, id);
CREATE INDEX audit_events_type ON audit_events (type, id);
CREATE INDEX audit_events_actor ON audit_events (actor_id, id);
CREATE INDEX audit_events_subject ON audit_events (subject, id);

CREATE FUNCTION audit_events_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION audit_events_refuse_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION audit_events_refuse_change();

-- Signing keys that rotate, groups, the installation's own skills, and more about providers.

CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  private_jwk bytea,
  source text NOT NULL CHECK (source IN ('environment', 'generated')),
  state text NOT NULL CHECK (state IN ('staged', 'active', 'retired')),
  staged_at timestamptz NOT NULL,
  activated_at timestamptz,
  retired_at timestamptz,
  published_until timestamptz,
  CHECK ((state = 'active') <= (activated_at IS NOT NULL)),
  CHECK ((state = 'retired') = (retired_at IS NOT NULL)),
  CHECK ((state = 'retired') = (published_until IS NOT NULL)),
  CHECK ((state = 'retired') = (private_jwk IS NULL)),
  -- Deferrable, so that one statement can hand the role from one key to the next.
  CONSTRAINT signing_keys_one_active EXCLUDE USING btree (state WITH =) WHERE (state = 'active') DEFERRABLE
);
COMMENT ON COLUMN signing_keys.private_jwk IS 'AES-256-GCM, bound to the row''s kid; null once the key no longer signs';
COMMENT ON COLUMN signing_keys.published_until IS 'a retired key stays in the key set until what it signed has expired';

ALTER TABLE identity_providers
  ADD COLUMN discovery_url text,
  ADD COLUMN token_endpoint_auth_method text
    CHECK (token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'none')),
  ALTER COLUMN client_secret DROP NOT NULL,
  ADD CHECK ((token_endpoint_auth_method IS NOT DISTINCT FROM 'none') = (client_secret IS NULL));
COMMENT ON COLUMN identity_providers.discovery_url IS 'null: the well-known address of the issuer';
COMMENT ON COLUMN identity_providers.token_endpoint_auth_method IS 'null: what the provider''s metadata says';

CREATE TABLE group_providers (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]*$'),
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('claim', 'directory')),
  identity_provider_id uuid UNIQUE REFERENCES identity_providers (id),
  url text,
  secret bytea,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((type = 'claim') = (identity_provider_id IS NOT NULL)),
  CHECK ((type = 'directory') = (url IS NOT NULL)),
  CHECK ((type = 'directory') = (secret IS NOT NULL))
);
COMMENT ON COLUMN group_providers.secret IS 'AES-256-GCM, bound to the row''s id';

CREATE TABLE user_groups (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  groups text[] NOT NULL,
  signed_in_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, provider_id)
);
COMMENT ON TABLE user_groups IS 'what a provider''s "groups" claim said at the last sign-in there';
CREATE INDEX user_groups_provider_id ON user_groups (provider_id);
CREATE INDEX user_groups_expires_at ON user_groups (expires_at);

ALTER TABLE assignments
  ALTER COLUMN email DROP NOT NULL,
  ADD COLUMN group_provider_id uuid REFERENCES group_providers (id),
  ADD COLUMN group_key text,
  ADD CHECK (num_nonnulls(email, group_provider_id) = 1),
  ADD CHECK ((group_provider_id IS NULL) = (group_key IS NULL)),
  ADD UNIQUE (group_provider_id, group_key, scope_key);

CREATE TABLE skills (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]*$'),
  title text NOT NULL,
  description text,
  tags text[],
  required_scopes text[] NOT NULL,
  visibility text NOT NULL CHECK (visibility IN ('DEFAULT', 'HIDDEN_IF_UNALLOWED')),
  content text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE skills IS 'the installation''s own; clients see them as "installation.{id}"';
ALTER TABLE resources ADD CONSTRAINT resources_key_not_reserved CHECK (key <> 'installation');

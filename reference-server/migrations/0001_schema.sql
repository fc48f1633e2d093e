-- The schema as of the first release. Secrets that somebody presents are stored as SHA-256 only.

DO $$ BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'The database has to be made with the encoding UTF8, and has %.', getdatabaseencoding();
  END IF;
END $$;

-- Search finds words by their beginning, with or without accents: "lov" finds Ada Lovelace, "ada acme" finds
-- ada@acme.example, and "renee muller" finds Renée Müller. That needs nothing but PostgreSQL itself; an index for text in
-- the middle of a word would need the extension pg_trgm, which not every database has, and neither has every one unaccent.
CREATE FUNCTION search_fold(searched text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
  SELECT translate(
    -- Most texts have nothing to fold, and to see that is cheap.
    CASE WHEN octet_length(searched) = char_length(searched) THEN searched ELSE
      replace(replace(replace(replace(
        regexp_replace(normalize(searched, NFD), '[\u0300-\u036f]', '', 'g'), 'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'œ', 'oe')
    END,
    'øØłŁđĐðÐıħĦŧŦ!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', 'oOlLdDdDihHtT' || repeat(' ', 32))
$$;
COMMENT ON FUNCTION search_fold IS 'a text without accents, its words separated by spaces';

-- RETURN binds search_fold now. In a string it would be looked up while a backup is restored, without a search path, and not found.
CREATE FUNCTION search_words(searched text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN to_tsvector('pg_catalog.simple', search_fold(searched) || CASE WHEN searched ~ '[äöüÄÖÜ]' THEN ' ' || search_fold(
    replace(replace(replace(lower(translate(searched, 'ÄÖÜ', 'äöü')), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue')) ELSE '' END);
COMMENT ON FUNCTION search_words IS 'the words of a text, those with umlauts also as they are written without any: muller and mueller';

CREATE FUNCTION search_prefixes(asked text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsquery('pg_catalog.simple', coalesce(string_agg(quote_literal(word) || ':*', ' & '), ''))
  FROM regexp_split_to_table(search_fold(asked), '\s+') AS word WHERE word <> ''
$$;
COMMENT ON FUNCTION search_prefixes IS 'finds what search_words has made: each word of a text by its beginning';

-- The installation.

CREATE TABLE settings (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  installation_name text NOT NULL,
  instructions text,
  logo bytea CHECK (octet_length(logo) <= 65536),
  logo_type text CHECK (logo_type IN ('image/png', 'image/svg+xml')),
  logo_digest text,
  app_trust text NOT NULL DEFAULT 'listed' CHECK (app_trust IN ('off', 'listed', 'any')),
  dynamic_registration boolean NOT NULL DEFAULT false,
  break_glass_email text CHECK (break_glass_email = lower(break_glass_email)),
  installed_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(logo, logo_type, logo_digest) IN (0, 3))
);
COMMENT ON COLUMN settings.app_trust IS 'which hosts may be clients by a metadata document: none, those that app_hosts allows, or any that it does not refuse';
COMMENT ON COLUMN settings.dynamic_registration IS 'whether clients may register themselves (RFC 7591)';
COMMENT ON COLUMN settings.break_glass_email IS 'the administrator whom no provider can disable, pause or sign out; null: none';
COMMENT ON COLUMN settings.instructions IS 'what agents are told by /api/me';
COMMENT ON COLUMN settings.installed_at IS 'null: /setup is open to whoever has the set-up token';

-- Written whenever a process asks whether the database can be written to; says nothing but that.
CREATE TABLE write_checks (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  checked_at timestamptz NOT NULL
) WITH (fillfactor = 10);
INSERT INTO write_checks (checked_at) VALUES (now());

-- Sorts more than fits in memory, so that PostgreSQL writes pages of a file that was not there before, and removes it: without
-- anything left behind, in WAL or in a table.
CREATE FUNCTION write_pages() RETURNS boolean LANGUAGE sql VOLATILE SET work_mem = '64kB' SET temp_tablespaces = '' AS $$
  SELECT count(*) > 0 FROM (SELECT n FROM generate_series(1, 4000) AS n ORDER BY -n OFFSET 1) AS sorted
$$;
COMMENT ON FUNCTION write_pages IS 'fails when the disk is full: a row can be changed within its page long after nothing can be added';

-- What every process on this database must have in common. Of a secret only a value that is derived from it.
CREATE TABLE secret_checks (
  variable text PRIMARY KEY,
  value text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);

-- The id of the key that wraps a sealed value's data key; empty where it is none. See src/platform/vault/sealed.ts.
CREATE FUNCTION sealed_key_id(sealed bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN length(sealed) >= 5 AND get_byte(sealed, 0) = 1
  THEN encode(substring(sealed FROM 6 FOR get_byte(sealed, 1) * 256 + get_byte(sealed, 2)), 'escape')
  ELSE '' END;

CREATE TABLE credential_keys (
  key_id text PRIMARY KEY,
  activated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE credential_keys IS 'each key that was AUTHZ_CREDENTIAL_ENCRYPTION_KEY; the newest is the one that everything is to be sealed with';

CREATE TABLE sealed_secrets (
  name text PRIMARY KEY,
  secret bytea NOT NULL
);
COMMENT ON COLUMN sealed_secrets.secret IS 'sealed, bound to the row''s name; "audit-seal" is the key of the seals of the audit trail';

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
  activates_at timestamptz,
  CHECK (activates_at IS NULL OR state = 'staged'),
  CHECK ((state = 'active') <= (activated_at IS NOT NULL)),
  CHECK ((state = 'retired') = (retired_at IS NOT NULL)),
  CHECK ((state = 'retired') = (published_until IS NOT NULL)),
  CHECK ((state = 'retired') = (private_jwk IS NULL)),
  -- Deferrable, so that one statement can hand the role from one key to the next.
  CONSTRAINT signing_keys_one_active EXCLUDE USING btree (state WITH =) WHERE (state = 'active') DEFERRABLE
);
COMMENT ON COLUMN signing_keys.private_jwk IS 'sealed, bound to the row''s kid; null once the key no longer signs';
COMMENT ON COLUMN signing_keys.published_until IS 'a retired key stays in the key set until what it signed has expired';
COMMENT ON COLUMN signing_keys.activates_at IS 'when a staged key begins to sign by itself; null: when somebody activates it';

-- People, the providers that they sign in with, and their groups.

CREATE TABLE identity_providers (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE,
  name text NOT NULL,
  button_label text,
  issuer text NOT NULL,
  discovery_url text,
  client_id text NOT NULL,
  client_secret bytea,
  token_endpoint_auth_method text
    CHECK (token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'none')),
  scopes text[] NOT NULL,
  allowed_email_domains text[] NOT NULL,
  own_callback boolean NOT NULL DEFAULT true,
  allows_assertions boolean NOT NULL DEFAULT false,
  presence text NOT NULL DEFAULT 'off' CHECK (presence IN ('off', 'on')),
  presence_interval_seconds integer NOT NULL DEFAULT 28800 CHECK (presence_interval_seconds > 0),
  grace_seconds integer NOT NULL DEFAULT 86400 CHECK (grace_seconds >= 0),
  sign_in_every_days integer CHECK (sign_in_every_days > 0),
  provisioning_attribute text NOT NULL DEFAULT 'externalId' CHECK (provisioning_attribute IN ('externalId', 'userName')),
  provisioning_claim text NOT NULL DEFAULT 'sub' CHECK (provisioning_claim IN ('sub', 'oid')),
  logout_ends_apps boolean NOT NULL DEFAULT false,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((token_endpoint_auth_method IS NOT DISTINCT FROM 'none') = (client_secret IS NULL))
);
COMMENT ON COLUMN identity_providers.button_label IS 'null: the name';
COMMENT ON COLUMN identity_providers.discovery_url IS 'null: the well-known address of the issuer';
COMMENT ON COLUMN identity_providers.client_secret IS 'sealed, bound to the row''s id';
COMMENT ON COLUMN identity_providers.token_endpoint_auth_method IS 'null: what the provider''s metadata says';
COMMENT ON COLUMN identity_providers.own_callback IS
  'browsers come back to /sign-in/callback/KEY; false: to /sign-in/callback, which one provider has at most';
CREATE UNIQUE INDEX identity_providers_plain_callback ON identity_providers (own_callback) WHERE NOT own_callback;
COMMENT ON COLUMN identity_providers.allows_assertions IS
  'its identity assertions (ID-JAG) are redeemed at the token endpoint; for one provider of an issuer at most';
COMMENT ON COLUMN identity_providers.provisioning_attribute IS 'the attribute of SCIM that equals provisioning_claim of the ID token';
CREATE UNIQUE INDEX identity_providers_asserting ON identity_providers (issuer) WHERE allows_assertions;
COMMENT ON COLUMN identity_providers.presence IS 'on: it is asked with refresh tokens whether its people are still there';
COMMENT ON COLUMN identity_providers.grace_seconds IS 'how long a person it gives no answer about goes on';
COMMENT ON COLUMN identity_providers.sign_in_every_days IS 'null: as seldom as people like';

COMMENT ON COLUMN identity_providers.logout_ends_apps IS
  'a logout there ends what the person signed in at this server, not only the browser session';

CREATE TABLE provider_tests (
  provider_id uuid PRIMARY KEY REFERENCES identity_providers (id) ON DELETE CASCADE,
  settings bytea NOT NULL,
  tested_at timestamptz NOT NULL
);
COMMENT ON TABLE provider_tests IS 'the last sign-in that succeeded as a test, and with which settings';
COMMENT ON COLUMN provider_tests.settings IS 'sealed, bound to the provider''s id: what was tested, and as whom';

CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text UNIQUE CHECK (email = lower(email)),
  name text,
  enabled boolean NOT NULL DEFAULT true,
  disabled_by text CHECK (disabled_by IN ('administrator', 'support', 'provider')),
  disabled_by_provider text,
  paused_at timestamptz,
  pause_reason text,
  language text,
  version integer NOT NULL DEFAULT 1,
  last_signed_in_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(coalesce(email, '') || ' ' || coalesce(name, ''))) STORED,
  CHECK (NOT enabled OR disabled_by IS NULL),
  CHECK (disabled_by_provider IS NULL OR disabled_by = 'provider'),
  CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
);
COMMENT ON COLUMN users.disabled_by_provider IS 'the key of the provider that ended the person';
COMMENT ON COLUMN users.paused_at IS 'nothing is issued since then, until the next sign-in';
COMMENT ON COLUMN users.disabled_by IS 'support enables only those whom support disabled; null: enabled, or an administrator';
COMMENT ON COLUMN users.language IS 'what their browser preferred at the last sign-in, for mails; null: nobody knows';
COMMENT ON COLUMN users.email IS 'null once a provider has given the address to somebody else';
-- Indexes of words are kept up at once: writes are rare, and a list of pending ones slows searches.
CREATE INDEX users_words ON users USING gin (words) WITH (fastupdate = off);
CREATE INDEX users_by_email ON users (coalesce(email, ''), id);
CREATE INDEX users_by_name ON users (lower(coalesce(name, '')), id);
CREATE INDEX users_by_last_sign_in ON users (coalesce(last_signed_in_at, '-infinity'), id);
CREATE INDEX users_by_creation ON users (created_at, id);
-- People who were disabled or paused lately, for the token status list.
CREATE INDEX users_disabled ON users (updated_at) WHERE NOT enabled;
CREATE INDEX users_paused ON users (paused_at) WHERE paused_at IS NOT NULL;

CREATE TABLE user_identities (
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  oid text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider_id, subject),
  UNIQUE (user_id, provider_id)
);
COMMENT ON COLUMN user_identities.oid IS 'the claim "oid" of Entra ID, which unlike its "sub" is the same for all clients; null: there was none';
CREATE INDEX user_identities_oid ON user_identities (provider_id, oid) WHERE oid IS NOT NULL;

CREATE TABLE group_providers (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]*$'),
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('claim', 'scim', 'directory')),
  identity_provider_id uuid UNIQUE REFERENCES identity_providers (id),
  url text,
  secret bytea,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((type <> 'directory') = (identity_provider_id IS NOT NULL)),
  CHECK ((type = 'directory') = (url IS NOT NULL)),
  CHECK ((type = 'directory') = (secret IS NOT NULL))
);
COMMENT ON COLUMN group_providers.secret IS 'sealed, bound to the row''s id';

CREATE TABLE user_groups (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  groups text[] NOT NULL,
  unavailable boolean NOT NULL DEFAULT false,
  signed_in_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, provider_id)
);
COMMENT ON TABLE user_groups IS 'what a provider''s "groups" claim said at the last sign-in or confirmation there, or of which groups SCIM has made the person a member';
COMMENT ON COLUMN user_groups.unavailable IS 'it has groups that it did not name: what they would give is undecided';
COMMENT ON COLUMN user_groups.expires_at IS 'infinity: by SCIM, until it says otherwise';
CREATE INDEX user_groups_provider_id ON user_groups (provider_id);
CREATE INDEX user_groups_expires_at ON user_groups (expires_at);
CREATE INDEX user_groups_groups ON user_groups USING gin (groups) WITH (fastupdate = off);

-- Whether people are still there, according to the provider of their latest sign-in.

CREATE TABLE presences (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  subject text NOT NULL,
  refresh_token bytea,
  key_id text GENERATED ALWAYS AS (sealed_key_id(refresh_token)) STORED,
  ending boolean NOT NULL DEFAULT false,
  signed_in_at timestamptz NOT NULL,
  confirmed_at timestamptz NOT NULL,
  due_at timestamptz,
  away_since timestamptz,
  reason text,
  asked_at timestamptz,
  refused_at timestamptz,
  lease text,
  lease_until timestamptz,
  CHECK ((away_since IS NULL) = (reason IS NULL)),
  CHECK ((lease IS NULL) = (lease_until IS NULL)),
  CHECK (NOT ending OR refresh_token IS NOT NULL)
);
COMMENT ON TABLE presences IS 'the latest sign-in of each person, and when their provider confirmed them last';
COMMENT ON COLUMN presences.subject IS 'the account at the provider';
COMMENT ON COLUMN presences.refresh_token IS 'of the latest sign-in; sealed, bound to user_id and provider_id';
COMMENT ON COLUMN presences.ending IS 'the refresh token is used no more, and waits to be revoked at the provider';
COMMENT ON COLUMN presences.due_at IS 'the next issuance from then on asks first; null: none does';
COMMENT ON COLUMN presences.away_since IS 'since when the provider has been asked without an answer that counts; null: confirmed, or never asked';
COMMENT ON COLUMN presences.reason IS 'why there is no confirmation';
COMMENT ON COLUMN presences.lease IS 'of the one process that uses the refresh token; past lease_until its answer is lost';
CREATE INDEX presences_asked ON presences (provider_id, asked_at);
CREATE INDEX presences_refused ON presences (provider_id, refused_at) WHERE refused_at IS NOT NULL;
CREATE INDEX presences_key_id ON presences (key_id, user_id);
CREATE INDEX presences_ending ON presences (user_id) WHERE ending;

CREATE TABLE presence_alarms (
  provider_id uuid PRIMARY KEY REFERENCES identity_providers (id) ON DELETE CASCADE,
  reason text NOT NULL,
  since timestamptz NOT NULL,
  last_at timestamptz NOT NULL
);
COMMENT ON TABLE presence_alarms IS 'providers whose answers about people do not count at the moment';

-- Streams of security events that identity providers send (Shared Signals). Which events were received is in dpop_replays.

CREATE TABLE signal_streams (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]*$'),
  name text NOT NULL,
  identity_provider_id uuid NOT NULL REFERENCES identity_providers (id),
  transmitter text NOT NULL,
  configuration_url text NOT NULL,
  stream_id text NOT NULL,
  audience text NOT NULL,
  delivery text NOT NULL CHECK (delivery IN ('push', 'poll')),
  poll_url text,
  token bytea,
  credential_hash bytea,
  opaque_subjects text NOT NULL CHECK (opaque_subjects IN ('ignored', 'sub')),
  max_age_seconds integer NOT NULL CHECK (max_age_seconds > 0),
  enabled boolean NOT NULL DEFAULT true,
  transmitter_status text NOT NULL DEFAULT 'enabled' CHECK (transmitter_status IN ('enabled', 'paused', 'disabled')),
  last_received_at timestamptz,
  last_lag_seconds double precision,
  last_refused_at timestamptz,
  last_refusal text,
  poll_due_at timestamptz NOT NULL DEFAULT '-infinity',
  poll_lease uuid,
  failing_since timestamptz,
  failure text,
  verification_hash bytea,
  verification_requested_at timestamptz,
  verified_at timestamptz,
  reported_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(key || ' ' || name || ' ' || transmitter)) STORED,
  CHECK ((delivery = 'poll') = (poll_url IS NOT NULL)),
  CHECK (delivery = 'push' OR (token IS NOT NULL AND credential_hash IS NULL))
) WITH (fillfactor = 70);
COMMENT ON COLUMN signal_streams.transmitter IS 'the issuer of its events';
COMMENT ON COLUMN signal_streams.configuration_url IS 'where the metadata of the transmitter was found';
COMMENT ON COLUMN signal_streams.stream_id IS 'what the transmitter calls it';
COMMENT ON COLUMN signal_streams.token IS 'sealed, bound to the row''s id; for polling and for the management of the stream there';
COMMENT ON COLUMN signal_streams.credential_hash IS 'SHA-256 of what the transmitter presents when it pushes; null: nothing is accepted';
COMMENT ON COLUMN signal_streams.opaque_subjects IS 'what an opaque subject identifier is: nothing that is known here, or the sub of the account';
COMMENT ON COLUMN signal_streams.transmitter_status IS 'what the transmitter said last about the stream';
COMMENT ON COLUMN signal_streams.poll_due_at IS 'when it is polled next; while a process polls, when another one may';
COMMENT ON COLUMN signal_streams.failure IS 'why polling, or a test, fails since failing_since, as a code';
COMMENT ON COLUMN signal_streams.verification_hash IS 'SHA-256 of the state of the verification event that was requested last; null once it came';
COMMENT ON COLUMN signal_streams.reported_at IS 'when administrators were told that it is failing or silent; null: it works';
CREATE INDEX signal_streams_identity_provider_id ON signal_streams (identity_provider_id);
CREATE INDEX signal_streams_poll_due_at ON signal_streams (poll_due_at) WHERE delivery = 'poll';

CREATE TABLE signal_counts (
  stream_id uuid NOT NULL REFERENCES signal_streams (id) ON DELETE CASCADE,
  outcome text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (stream_id, outcome)
) WITH (fillfactor = 70);
COMMENT ON TABLE signal_counts IS 'what became of the events of each stream';

-- Permissions, the services that know them, and who has them.

CREATE TABLE scopes (
  key text PRIMARY KEY CHECK (key ~ '^[a-z0-9-]+:[a-z0-9-]+$'),
  description text NOT NULL,
  system boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(key || ' ' || description)) STORED
);
CREATE INDEX scopes_words ON scopes USING gin (words);
CREATE INDEX scopes_by_creation ON scopes (created_at, key);

CREATE TABLE resources (
  id uuid PRIMARY KEY,
  key text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9-]*$'),
  name text NOT NULL,
  resource text NOT NULL UNIQUE,
  authorization_server text NOT NULL,
  client_id text NOT NULL,
  request_prefixes text[] NOT NULL,
  request_headers text[] NOT NULL DEFAULT '{}',
  enabled boolean NOT NULL DEFAULT true,
  skill_discovery boolean NOT NULL DEFAULT false,
  allows_bearer boolean NOT NULL DEFAULT false,
  agent_calls boolean NOT NULL DEFAULT true,
  rules jsonb NOT NULL DEFAULT '[]',
  covers text[] NOT NULL DEFAULT '{}',
  authorization_details_types jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(authorization_details_types) = 'array'),
  built_in boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(key || ' ' || name || ' ' || resource)) STORED,
  CONSTRAINT resources_key_not_reserved CHECK (key <> 'installation')
);
COMMENT ON COLUMN resources.request_headers IS 'what it takes beside the headers that any API takes';
COMMENT ON COLUMN resources.built_in IS 'an address of this server itself; at most one, with the key "agents"';
COMMENT ON COLUMN resources.allows_bearer IS 'takes identity assertions that are bound to no key';
COMMENT ON COLUMN resources.authorization_details_types IS 'the calls for which it may ask for approval: type, words, members to show, and who approves';
COMMENT ON COLUMN resources.covers IS 'the request prefixes as addresses are compared with them: origin and path without a slash at the end';
CREATE INDEX resources_words ON resources USING gin (words);
CREATE INDEX resources_by_name ON resources (lower(name), key);
CREATE INDEX resources_by_creation ON resources (created_at, key);
-- Two resources with one prefix leave clients without an answer to whose it is.
CREATE INDEX resources_covers ON resources USING gin (covers);

CREATE TABLE resource_scopes (
  resource_id uuid NOT NULL REFERENCES resources (id) ON DELETE CASCADE,
  scope_key text NOT NULL REFERENCES scopes (key),
  PRIMARY KEY (resource_id, scope_key)
);
CREATE INDEX resource_scopes_scope_key ON resource_scopes (scope_key);

CREATE TABLE assignments (
  id uuid PRIMARY KEY,
  email text CHECK (email = lower(email)),
  group_provider_id uuid REFERENCES group_providers (id),
  group_key text,
  scope_key text NOT NULL REFERENCES scopes (key),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  announced_at timestamptz,
  person_name text,
  words tsvector NOT NULL
    GENERATED ALWAYS AS (search_words(coalesce(email, group_key) || ' ' || scope_key || ' ' || coalesce(person_name, ''))) STORED,
  UNIQUE (email, scope_key),
  UNIQUE (group_provider_id, group_key, scope_key),
  CHECK (num_nonnulls(email, group_provider_id) = 1),
  CHECK ((group_provider_id IS NULL) = (group_key IS NULL))
);
COMMENT ON COLUMN assignments.expires_at IS 'from then on it counts nowhere, by the clock of this database; null: for good';
COMMENT ON COLUMN assignments.announced_at IS 'when its end was announced';
COMMENT ON COLUMN assignments.person_name IS 'what the owner of the address is called, for the search alone; kept by triggers';
CREATE INDEX assignments_expires_at ON assignments (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX assignments_scope_key ON assignments (scope_key, id);
CREATE INDEX assignments_words ON assignments USING gin (words) WITH (fastupdate = off);
CREATE INDEX assignments_by_assignee ON assignments ((coalesce(email, group_key)), id);
CREATE INDEX assignments_by_creation ON assignments (created_at, id);
-- Which of a directory's groups have a scope, when the directory cannot say who is in them.
CREATE INDEX assignments_by_group_scope ON assignments (group_provider_id, scope_key, group_key)
  WHERE group_provider_id IS NOT NULL;

CREATE FUNCTION assignments_name_of_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.person_name := (SELECT name FROM users WHERE email = NEW.email);
  RETURN NEW;
END
$$;
CREATE TRIGGER assignments_named BEFORE INSERT ON assignments
  FOR EACH ROW WHEN (NEW.email IS NOT NULL) EXECUTE FUNCTION assignments_name_of_person();

CREATE FUNCTION assignments_rename_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE assignments SET person_name = NULL
    WHERE email = OLD.email AND OLD.email IS DISTINCT FROM NEW.email AND person_name IS NOT NULL;
  END IF;
  UPDATE assignments SET person_name = NEW.name WHERE email = NEW.email AND person_name IS DISTINCT FROM NEW.name;
  RETURN NULL;
END
$$;
CREATE TRIGGER users_named AFTER INSERT ON users
  FOR EACH ROW WHEN (NEW.email IS NOT NULL) EXECUTE FUNCTION assignments_rename_person();
CREATE TRIGGER users_renamed AFTER UPDATE OF email, name ON users
  FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email OR OLD.name IS DISTINCT FROM NEW.name)
  EXECUTE FUNCTION assignments_rename_person();

-- Every group that an identity provider has named or that an assignment names. Kept by triggers, so that it is right
-- whoever writes; a sign-in writes here only what is new or was last seen more than a day ago.
CREATE TABLE known_groups (
  provider_id uuid NOT NULL REFERENCES group_providers (id) ON DELETE CASCADE,
  key text NOT NULL,
  seen_at timestamptz NOT NULL,
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(key)) STORED,
  PRIMARY KEY (provider_id, key)
);
COMMENT ON COLUMN known_groups.seen_at IS 'when a sign-in last named it, to the day; infinity while an assignment or SCIM does';
CREATE INDEX known_groups_by_key ON known_groups (key, provider_id);
CREATE INDEX known_groups_words ON known_groups USING gin (words) WITH (fastupdate = off);
CREATE INDEX known_groups_seen_at ON known_groups (seen_at);

CREATE FUNCTION known_groups_of_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO known_groups (provider_id, key, seen_at)
  SELECT p.id, named.key, now()
  FROM group_providers p, (SELECT DISTINCT unnest(NEW.groups) AS key) AS named
  WHERE p.identity_provider_id = NEW.provider_id AND NOT EXISTS (
    SELECT FROM known_groups k
    WHERE k.provider_id = p.id AND k.key = named.key AND k.seen_at > now() - interval '1 day')
  -- In one order everywhere, so that two sign-ins never wait for each other.
  ORDER BY named.key
  ON CONFLICT (provider_id, key) DO UPDATE SET seen_at = greatest(known_groups.seen_at, excluded.seen_at);
  RETURN NULL;
END
$$;
CREATE TRIGGER user_groups_known AFTER INSERT OR UPDATE OF groups ON user_groups
  FOR EACH ROW EXECUTE FUNCTION known_groups_of_claim();

CREATE FUNCTION known_groups_of_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO known_groups (provider_id, key, seen_at) VALUES (NEW.group_provider_id, NEW.group_key, 'infinity')
    ON CONFLICT (provider_id, key) DO UPDATE SET seen_at = excluded.seen_at;
  ELSE
    UPDATE known_groups SET seen_at = now()
    WHERE provider_id = OLD.group_provider_id AND key = OLD.group_key AND NOT EXISTS (
      SELECT FROM assignments a WHERE a.group_provider_id = OLD.group_provider_id AND a.group_key = OLD.group_key
    ) AND NOT EXISTS (
      SELECT FROM provisioned_groups g JOIN group_providers p ON p.identity_provider_id = g.provider_id AND p.type = 'scim'
      WHERE p.id = OLD.group_provider_id AND g.display_name = OLD.group_key);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER assignments_known_new AFTER INSERT ON assignments
  FOR EACH ROW WHEN (NEW.group_key IS NOT NULL) EXECUTE FUNCTION known_groups_of_assignment();
CREATE TRIGGER assignments_known_gone AFTER DELETE ON assignments
  FOR EACH ROW WHEN (OLD.group_key IS NOT NULL) EXECUTE FUNCTION known_groups_of_assignment();

-- People and groups that identity providers create, change and remove by SCIM (RFC 7643, 7644).

CREATE FUNCTION scim_email_values(emails jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN ARRAY(SELECT lower(e.email ->> 'value') FROM jsonb_array_elements(emails) AS e (email));

CREATE TABLE provisioned_users (
  id uuid PRIMARY KEY,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_name text NOT NULL CHECK (length(user_name) BETWEEN 1 AND 256),
  external_id text CHECK (length(external_id) BETWEEN 1 AND 256),
  display_name text,
  formatted_name text,
  family_name text,
  given_name text,
  emails jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(emails) = 'array'),
  email_values text[] NOT NULL GENERATED ALWAYS AS (scim_email_values(emails)) STORED,
  active boolean NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT provisioned_users_once UNIQUE (user_id, provider_id)
);
COMMENT ON TABLE provisioned_users IS 'what a provider says of its people; users has what counts here';
COMMENT ON COLUMN provisioned_users.id IS 'the "id" of SCIM; a person who is created again has another one';
COMMENT ON COLUMN provisioned_users.active IS 'false: the person cannot sign in at this provider, whoever enabled them here';
CREATE UNIQUE INDEX provisioned_users_user_name ON provisioned_users (provider_id, lower(user_name));
CREATE UNIQUE INDEX provisioned_users_external_id ON provisioned_users (provider_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX provisioned_users_by_creation ON provisioned_users (provider_id, created_at, id);
CREATE INDEX provisioned_users_emails ON provisioned_users USING gin (email_values) WITH (fastupdate = off);

CREATE TABLE provisioned_groups (
  id uuid PRIMARY KEY,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  display_name text NOT NULL CHECK (length(display_name) BETWEEN 1 AND 256),
  external_id text CHECK (length(external_id) BETWEEN 1 AND 256),
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN provisioned_groups.display_name IS 'the key of the group in assignments';
CREATE UNIQUE INDEX provisioned_groups_display_name ON provisioned_groups (provider_id, lower(display_name));
CREATE UNIQUE INDEX provisioned_groups_external_id ON provisioned_groups (provider_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX provisioned_groups_by_creation ON provisioned_groups (provider_id, created_at, id);

CREATE TABLE provisioned_members (
  group_id uuid NOT NULL REFERENCES provisioned_groups (id) ON DELETE CASCADE,
  member_id uuid NOT NULL REFERENCES provisioned_users (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, member_id)
);
CREATE INDEX provisioned_members_member_id ON provisioned_members (member_id);

-- A group is known as long as SCIM has it, with members or without.
CREATE FUNCTION known_groups_of_scim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE known_groups k SET seen_at = now() FROM group_providers p
    WHERE p.identity_provider_id = OLD.provider_id AND p.type = 'scim' AND k.provider_id = p.id AND k.key = OLD.display_name
      AND NOT EXISTS (SELECT FROM assignments a WHERE a.group_provider_id = p.id AND a.group_key = OLD.display_name);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO known_groups (provider_id, key, seen_at)
    SELECT p.id, NEW.display_name, 'infinity' FROM group_providers p
    WHERE p.identity_provider_id = NEW.provider_id AND p.type = 'scim'
    ON CONFLICT (provider_id, key) DO UPDATE SET seen_at = excluded.seen_at;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER provisioned_groups_known_new AFTER INSERT OR DELETE ON provisioned_groups
  FOR EACH ROW EXECUTE FUNCTION known_groups_of_scim();
CREATE TRIGGER provisioned_groups_known_renamed AFTER UPDATE OF display_name ON provisioned_groups
  FOR EACH ROW WHEN (OLD.display_name <> NEW.display_name) EXECUTE FUNCTION known_groups_of_scim();

CREATE TABLE provisioning_credentials (
  id uuid PRIMARY KEY,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  secret_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);
COMMENT ON TABLE provisioning_credentials IS 'what providers call SCIM with; two of a provider while one replaces the other';
COMMENT ON COLUMN provisioning_credentials.last_used_at IS 'to the minute';
CREATE INDEX provisioning_credentials_provider_id ON provisioning_credentials (provider_id);

CREATE TABLE provisioning_failures (
  provider_id uuid PRIMARY KEY REFERENCES identity_providers (id) ON DELETE CASCADE,
  at timestamptz NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  status integer NOT NULL,
  detail text NOT NULL
);
COMMENT ON TABLE provisioning_failures IS 'the last request of each provider that was refused';
COMMENT ON COLUMN provisioning_failures.path IS 'without its query';

-- Clients.

CREATE TABLE clients (
  id text PRIMARY KEY,
  name text NOT NULL,
  type text NOT NULL DEFAULT 'public' CHECK (type IN ('public', 'confidential', 'machine')),
  redirect_uris text[] NOT NULL,
  redirect_hosts text[] NOT NULL DEFAULT '{}',
  keys jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(keys) = 'array'),
  dpop_bound boolean NOT NULL DEFAULT true,
  grant_types text[] NOT NULL DEFAULT '{}',
  source text NOT NULL DEFAULT 'registered' CHECK (source IN ('registered', 'metadata_document', 'dynamic_registration')),
  trusted boolean NOT NULL DEFAULT true,
  limited boolean NOT NULL DEFAULT false,
  built_in boolean NOT NULL DEFAULT false,
  enabled boolean NOT NULL DEFAULT true,
  status_index integer,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(id || ' ' || name)) STORED,
  CHECK (type <> 'public' OR keys = '[]'),
  CHECK (type <> 'machine' OR (dpop_bound AND redirect_uris = '{}')),
  CHECK (CASE type WHEN 'machine' THEN grant_types <@ '{client_credentials}' ELSE NOT grant_types && '{client_credentials}' END)
);
COMMENT ON COLUMN clients.keys IS 'public keys for private_key_jwt, [{ "kid", "publicJwk" }]; several while one replaces another';
COMMENT ON COLUMN clients.grant_types IS 'the grants that it may use, as its document or registration lists them; all of its type when an administrator registered it';
COMMENT ON COLUMN clients.redirect_hosts IS 'the hosts of its redirects that are not on the person''s own computer; a client that registered itself needs each of them allowed';
COMMENT ON COLUMN clients.trusted IS 'false: its host is no longer among those that may, or its way in was closed; enabled is the administrator''s own switch';
COMMENT ON COLUMN clients.status_index IS 'the entry of a machine''s tokens in the token status list; drawn by a trigger';
COMMENT ON COLUMN clients.limited IS 'it is never given more than its rows in client_scopes, whoever uses it';
CREATE INDEX clients_words ON clients USING gin (words) WITH (fastupdate = off);
CREATE INDEX clients_by_name ON clients (lower(name), id);
-- Clients that were switched off lately, for the token status list.
CREATE INDEX clients_off ON clients (updated_at) WHERE NOT (enabled AND trusted);
-- Clients that no administrator registered: how many there are, and which of them nobody uses.
CREATE INDEX clients_unregistered ON clients (source, created_at) WHERE source <> 'registered';

CREATE TABLE client_documents (
  client_id text PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,
  host text NOT NULL,
  digest bytea NOT NULL,
  etag text,
  fetched_at timestamptz NOT NULL,
  fresh_until timestamptz NOT NULL,
  counts_until timestamptz NOT NULL
);
COMMENT ON TABLE client_documents IS 'where the clients whose id is the address of their metadata document come from';
COMMENT ON COLUMN client_documents.host IS 'the host of the address, in punycode, with its port unless that is 443';
COMMENT ON COLUMN client_documents.digest IS 'SHA-256 of the document that the row in clients says';
COMMENT ON COLUMN client_documents.fresh_until IS 'until then the document is not asked for again';
COMMENT ON COLUMN client_documents.counts_until IS 'until then the row in clients counts, also while the document cannot be fetched; over as soon as its address says something else';
CREATE INDEX client_documents_host ON client_documents (host);

CREATE TABLE app_hosts (
  host text PRIMARY KEY CHECK (host = lower(host) AND host <> ''),
  name text NOT NULL,
  allowed boolean NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(host || ' ' || name)) STORED
);
COMMENT ON TABLE app_hosts IS 'what administrators decided about hosts that apps come from';
COMMENT ON COLUMN app_hosts.allowed IS 'false: refused, even while apps from any host are allowed';
CREATE INDEX app_hosts_words ON app_hosts USING gin (words);
CREATE INDEX app_hosts_by_name ON app_hosts (lower(name), host);
CREATE INDEX app_hosts_by_creation ON app_hosts (created_at, host);

CREATE TABLE app_requests (
  host text NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id text NOT NULL,
  asked_at timestamptz NOT NULL,
  PRIMARY KEY (host, user_id)
);
COMMENT ON TABLE app_requests IS 'who came with an app of a host that is not allowed';
COMMENT ON COLUMN app_requests.client_id IS 'the address of the document, as it was given; nobody has fetched it';
CREATE INDEX app_requests_user_id ON app_requests (user_id);
CREATE INDEX app_requests_asked_at ON app_requests (asked_at);

-- What people ask administrators for. A decision is kept for a year, so that whoever asked can read it.
CREATE TABLE access_requests (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('service', 'connector', 'installation')),
  target text NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 500),
  reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  client_id text,
  grant_id uuid,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'declined', 'withdrawn')),
  granted_scopes text[] NOT NULL DEFAULT '{}',
  expires_at timestamptz,
  note text CHECK (length(note) BETWEEN 1 AND 500),
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz NOT NULL,
  version integer NOT NULL DEFAULT 1,
  CHECK ((state = 'pending') = (decided_at IS NULL)),
  CHECK (state = 'approved' OR (granted_scopes = '{}' AND expires_at IS NULL))
);
COMMENT ON COLUMN access_requests.target IS 'the key of the service or connector; authz: this installation itself';
COMMENT ON COLUMN access_requests.client_id IS 'the app through which the person asked; null: on a page of this server';
COMMENT ON COLUMN access_requests.granted_scopes IS 'what an administrator gave of it, until expires_at; null: for good';
COMMENT ON COLUMN access_requests.decided_by IS 'the person or the machine that decided';
CREATE UNIQUE INDEX access_requests_pending ON access_requests (user_id, kind, target) WHERE state = 'pending';
CREATE INDEX access_requests_by_user ON access_requests (user_id, kind, target, created_at);
CREATE INDEX access_requests_by_state ON access_requests (state, created_at, id);
CREATE INDEX access_requests_decided_at ON access_requests (decided_at);
CREATE INDEX access_requests_by_creation ON access_requests (created_at, id);

-- What somebody is to be told. An event becomes a message for each receiver, and both go when they are dealt with.

CREATE TABLE notification_events (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  event jsonb NOT NULL
);
COMMENT ON COLUMN notification_events.event IS 'the type, and what identifies the thing; never a secret';

CREATE TABLE notifications (
  id uuid PRIMARY KEY,
  type text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('webhook', 'mail')),
  recipient text,
  subject text,
  body text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((channel = 'mail') = (recipient IS NOT NULL)),
  CHECK ((channel = 'mail') = (subject IS NOT NULL))
);
COMMENT ON COLUMN notifications.attempts IS 'counts each claim; whoever claimed it with this number may end it';
COMMENT ON COLUMN notifications.due_at IS 'when the next attempt may begin; while one runs, when it counts as lost';
CREATE INDEX notifications_due_at ON notifications (due_at);

CREATE TABLE machine_scopes (
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  scope_key text NOT NULL REFERENCES scopes (key),
  PRIMARY KEY (client_id, scope_key)
);
CREATE INDEX machine_scopes_scope_key ON machine_scopes (scope_key);

CREATE TABLE client_scopes (
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  scope_key text NOT NULL REFERENCES scopes (key) ON DELETE CASCADE,
  PRIMARY KEY (client_id, scope_key)
);
COMMENT ON TABLE client_scopes IS 'the ceiling of a client that is limited';
CREATE INDEX client_scopes_scope_key ON client_scopes (scope_key);

-- What an administrator stopped. Usually empty: it is read by each issuance, sign-in of an app, and call.
CREATE TABLE stops (
  key text PRIMARY KEY GENERATED ALWAYS AS (CASE
    WHEN resource_id IS NOT NULL THEN 'service:' || resource_id
    WHEN user_id IS NOT NULL AND client_id IS NOT NULL THEN 'app:' || user_id || ':' || client_id
    WHEN user_id IS NOT NULL THEN 'user:' || user_id
    WHEN client_id IS NOT NULL THEN 'client:' || client_id
    ELSE 'all' END) STORED,
  id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  user_id uuid REFERENCES users (id) ON DELETE CASCADE,
  client_id text REFERENCES clients (id) ON DELETE CASCADE,
  resource_id uuid REFERENCES resources (id) ON DELETE CASCADE,
  stopped boolean NOT NULL,
  not_before timestamptz NOT NULL,
  set_at timestamptz NOT NULL,
  set_by text,
  CHECK (resource_id IS NULL OR num_nonnulls(user_id, client_id) = 0)
);
COMMENT ON TABLE stops IS 'one app of one person, all of a person, an app everywhere, a service, or everything';
COMMENT ON COLUMN stops.not_before IS 'what began earlier stays ended, also after it was started again';
COMMENT ON COLUMN stops.set_by IS 'the person or the machine that set or lifted it; null: an operator';
CREATE INDEX stops_set_at ON stops (set_at, id);
CREATE INDEX stops_not_before ON stops (not_before) WHERE NOT stopped;
CREATE INDEX stops_user_id ON stops (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX stops_client_id ON stops (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX stops_resource_id ON stops (resource_id) WHERE resource_id IS NOT NULL;

-- A set, because PostgreSQL inlines such a function; one that returns a boolean it would plan anew in each statement.
CREATE FUNCTION applicable_stops(of_user uuid, of_client text, of_resource uuid, began timestamptz)
RETURNS SETOF stops LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT s.* FROM stops s
  WHERE s.key = ANY (ARRAY['all', 'user:' || of_user, 'client:' || of_client, 'app:' || of_user || ':' || of_client,
    'service:' || of_resource]) AND (s.stopped OR s.not_before > began)
$$;
COMMENT ON FUNCTION applicable_stops IS 'what stops that which began then; a null argument matches no stop of its kind';

-- Sign-in, consent, grants, and everything that is used once.

CREATE TABLE browser_sessions (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  auth_time timestamptz,
  asked_anew_at timestamptz,
  amr text[] NOT NULL,
  signed_in_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  user_agent text,
  last_used_at timestamptz,
  provider_sid text
);
COMMENT ON COLUMN browser_sessions.provider_sid IS 'the session at the provider ("sid" of its ID token); null: it named none';
COMMENT ON COLUMN browser_sessions.last_used_at IS 'to ten minutes; null: not since the sign-in';
COMMENT ON COLUMN browser_sessions.auth_time IS 'when the provider says that it authenticated the person; null: it does not say';
COMMENT ON COLUMN browser_sessions.asked_anew_at IS 'when the provider was told to authenticate the person anew, for this session; null: it was not';
CREATE INDEX browser_sessions_user_id ON browser_sessions (user_id, signed_in_at, id);
CREATE INDEX browser_sessions_provider_sid ON browser_sessions (provider_id, provider_sid) WHERE provider_sid IS NOT NULL;
CREATE INDEX browser_sessions_provider_id ON browser_sessions (provider_id, signed_in_at, id);
CREATE INDEX browser_sessions_signed_in_at ON browser_sessions (signed_in_at, id);
CREATE INDEX browser_sessions_expires_at ON browser_sessions (expires_at);

CREATE TABLE saved_views (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  list text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  saved_at timestamptz NOT NULL,
  UNIQUE (user_id, list, name)
);
COMMENT ON TABLE saved_views IS 'what an administrator keeps of how the console shows a list; of nobody else''s business';
COMMENT ON COLUMN saved_views.query IS 'what stands behind the question mark of the console''s address';

CREATE TABLE device_authorizations (
  id uuid PRIMARY KEY,
  device_code_hash bytea NOT NULL UNIQUE,
  user_code_hash bytea NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  client_address text,
  resource_id uuid REFERENCES resources (id) ON DELETE CASCADE,
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
  CHECK ((answer IS NOT DISTINCT FROM 'allowed') <= (user_id IS NOT NULL AND amr IS NOT NULL)),
  CHECK (used_at IS NULL OR answer IS NOT DISTINCT FROM 'allowed')
);
COMMENT ON COLUMN device_authorizations.user_code_hash IS 'HMAC under the session secret: the code itself is short';
COMMENT ON COLUMN device_authorizations.client_address IS 'where the device asked from, for the person who answers';
CREATE INDEX device_authorizations_client_id ON device_authorizations (client_id);
CREATE INDEX device_authorizations_resource_id ON device_authorizations (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX device_authorizations_user_id ON device_authorizations (user_id);
CREATE INDEX device_authorizations_expires_at ON device_authorizations (expires_at);

CREATE TABLE authorization_requests (
  id uuid PRIMARY KEY,
  browser_hash bytea,
  pushed_hash bytea UNIQUE,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  device_id uuid REFERENCES device_authorizations (id) ON DELETE CASCADE,
  redirect_uri text,
  state text,
  nonce text,
  resource_id uuid REFERENCES resources (id) ON DELETE CASCADE,
  scopes text[] NOT NULL,
  code_challenge text,
  dpop_jkt text,
  prompts text[] NOT NULL,
  max_age_seconds integer,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  answered_at timestamptz,
  refused_user_id uuid REFERENCES users (id) ON DELETE CASCADE,
  asked_at timestamptz,
  CHECK (browser_hash IS NOT NULL OR pushed_hash IS NOT NULL),
  CHECK ((device_id IS NULL) = (redirect_uri IS NOT NULL)),
  CHECK ((device_id IS NULL) = (code_challenge IS NOT NULL))
);
COMMENT ON COLUMN authorization_requests.pushed_hash IS 'SHA-256 of request_uri''s secret; the first browser that brings it takes the request';
COMMENT ON COLUMN authorization_requests.device_id IS 'the answer goes to this device instead of a redirect URI';
COMMENT ON COLUMN authorization_requests.refused_user_id IS 'who lacked permissions for it, and may ask for them once, until it expires';
CREATE INDEX authorization_requests_refused_user_id ON authorization_requests (refused_user_id) WHERE refused_user_id IS NOT NULL;
CREATE INDEX authorization_requests_client_id ON authorization_requests (client_id);
CREATE INDEX authorization_requests_resource_id ON authorization_requests (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX authorization_requests_device_id ON authorization_requests (device_id);
CREATE INDEX authorization_requests_expires_at ON authorization_requests (expires_at);

CREATE TABLE sign_in_attempts (
  state_hash bytea PRIMARY KEY,
  browser_hash bytea NOT NULL,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  authorization_request_id uuid REFERENCES authorization_requests (id) ON DELETE CASCADE,
  return_to text,
  asks_anew boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE sign_in_attempts IS 'a row is deleted by the one callback that may use it';
COMMENT ON COLUMN sign_in_attempts.asks_anew IS 'the provider was told to authenticate the person anew';
CREATE INDEX sign_in_attempts_provider_id ON sign_in_attempts (provider_id);
CREATE INDEX sign_in_attempts_authorization_request_id ON sign_in_attempts (authorization_request_id);
CREATE INDEX sign_in_attempts_expires_at ON sign_in_attempts (expires_at);

CREATE TABLE sign_in_tests (
  id uuid PRIMARY KEY,
  state_hash bytea NOT NULL UNIQUE,
  browser_hash bytea NOT NULL,
  provider_id uuid NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  session_id uuid NOT NULL REFERENCES browser_sessions (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  settings bytea NOT NULL,
  with_changes boolean NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  taken_at timestamptz,
  finished_at timestamptz,
  passed boolean,
  result jsonb,
  CHECK ((finished_at IS NULL) = (passed IS NULL)),
  CHECK ((finished_at IS NULL) = (result IS NULL))
);
COMMENT ON TABLE sign_in_tests IS 'an administrator tries a sign-in, which signs nobody in; one callback takes the row';
COMMENT ON COLUMN sign_in_tests.settings IS 'sealed, bound to the row''s id: the provider as it is tested, with its secret';
COMMENT ON COLUMN sign_in_tests.with_changes IS 'the provider is tested as it would be after changes that are not saved';
CREATE INDEX sign_in_tests_provider_id ON sign_in_tests (provider_id);
CREATE INDEX sign_in_tests_session_id ON sign_in_tests (session_id);
CREATE INDEX sign_in_tests_user_id ON sign_in_tests (user_id);
CREATE INDEX sign_in_tests_expires_at ON sign_in_tests (expires_at);

CREATE TABLE grants (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  jkt text,
  device_name text CHECK (char_length(device_name) <= 80),
  resource_id uuid REFERENCES resources (id) ON DELETE CASCADE,
  provider_id uuid REFERENCES identity_providers (id) ON DELETE CASCADE,
  scopes text[] NOT NULL,
  auth_time timestamptz,
  amr text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  revocation_reason text,
  status_index integer NOT NULL
);
COMMENT ON TABLE grants IS 'what a person allowed a client, on one device, or a provider vouches for; the id is "sid" in tokens';
COMMENT ON COLUMN grants.provider_id IS 'who vouched for the person, so that nobody was asked; each assertion that is redeemed renews the grant. null: the person allowed it';
COMMENT ON COLUMN grants.device_name IS 'what the client called its device, or its owner since; nobody vouches for it';
COMMENT ON COLUMN grants.resource_id IS 'the service that its access tokens are for; null: this server''s own API';
COMMENT ON COLUMN grants.jkt IS 'thumbprint of the device''s key; null for a client that cannot use DPoP';
COMMENT ON COLUMN grants.status_index IS 'the entry of its tokens in the token status list; drawn by a trigger, and another grant''s an hour after the end';
CREATE INDEX grants_user_id ON grants (user_id, created_at, id);
CREATE INDEX grants_client_id ON grants (client_id, created_at, id);
CREATE INDEX grants_created_at ON grants (created_at, id);
CREATE INDEX grants_resource_id ON grants (resource_id, created_at, id) WHERE resource_id IS NOT NULL;
CREATE INDEX grants_expires_at ON grants (expires_at);
CREATE INDEX grants_revoked_at ON grants (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE UNIQUE INDEX grants_asserted ON grants (user_id, client_id, provider_id) WHERE provider_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX grants_provider_id ON grants (provider_id) WHERE provider_id IS NOT NULL;
-- How many grants of a client are live, from the index alone: nearly all grants are of one client.
CREATE INDEX grants_live ON grants (client_id, expires_at) WHERE revoked_at IS NULL;

-- Entries of the token status list that are taken. Their status is not stored, but derived from grants, clients, people and
-- stops when the list is read (src/store/status-list.ts).

CREATE TABLE status_list (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  capacity integer NOT NULL DEFAULT 65536 CHECK (capacity BETWEEN 64 AND 1 << 28)
);
COMMENT ON COLUMN status_list.capacity IS 'entries are drawn below it; doubles when about half of them are taken';
INSERT INTO status_list DEFAULT VALUES;

CREATE TABLE status_entries (
  status_index integer PRIMARY KEY,
  holder text NOT NULL,
  user_id uuid,
  client_id text,
  drawn_at timestamptz NOT NULL,
  free_at timestamptz NOT NULL,
  ended_at timestamptz,
  CHECK ((user_id IS NULL) = (client_id IS NULL))
);
COMMENT ON COLUMN status_entries.holder IS 'the id of the grant, of the machine, or of a token that was issued for an assertion without a grant';
COMMENT ON COLUMN status_entries.user_id IS 'the person of a token without a grant; null: a grant or a machine has the entry';
COMMENT ON COLUMN status_entries.client_id IS 'the client of a token without a grant';
COMMENT ON COLUMN status_entries.free_at IS 'an hour after the end of the holder; then it may be drawn again';
COMMENT ON COLUMN status_entries.ended_at IS 'when the row that shows the end was deleted';
CREATE INDEX status_entries_free_at ON status_entries (free_at);
CREATE INDEX status_entries_ended_at ON status_entries (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX status_entries_user_id ON status_entries (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX status_entries_client_id ON status_entries (client_id) WHERE client_id IS NOT NULL;

-- Draws at random, so that an index tells neither when its grant began nor how many there are. Transactions that draw at the same
-- time skip each other's entries by an advisory lock, of which one holds 1024 at most, so that none waits and no two wait for
-- each other. Twelve draws in a row miss once in 4096 when half of the entries are taken, and once in 16 million at a quarter:
-- that says when to double, without counting.
CREATE FUNCTION draw_status_entry(entry_holder text, ends timestamptz, about_user uuid DEFAULT NULL, by_client text DEFAULT NULL)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  size integer := (SELECT capacity FROM status_list);
  drawn integer;
  misses integer := 0;
  skipped integer := 0;
BEGIN
  LOOP
    drawn := floor(random() * size);
    IF EXISTS (SELECT FROM status_entries e WHERE e.status_index = drawn AND e.free_at > now()) THEN
      misses := misses + 1;
      IF misses % 12 = 0 THEN
        PERFORM FROM status_list WHERE capacity = size FOR UPDATE SKIP LOCKED;
        IF FOUND THEN UPDATE status_list SET capacity = 2 * size; END IF;
        size := (SELECT capacity FROM status_list);
      END IF;
    ELSIF pg_try_advisory_xact_lock(hashtext('status_entries'), drawn & 1023) THEN
      INSERT INTO status_entries AS e (status_index, holder, user_id, client_id, drawn_at, free_at)
      VALUES (drawn, entry_holder, about_user, by_client, now(), ends + interval '1 hour')
      ON CONFLICT (status_index) DO UPDATE SET holder = EXCLUDED.holder, user_id = EXCLUDED.user_id,
        client_id = EXCLUDED.client_id, drawn_at = EXCLUDED.drawn_at, free_at = EXCLUDED.free_at, ended_at = NULL
      WHERE e.free_at <= now();
      IF FOUND THEN RETURN drawn; END IF;
    ELSE
      skipped := skipped + 1;
      -- Only beside a transaction that draws thousands.
      IF skipped % 32 = 0 THEN PERFORM pg_advisory_xact_lock(hashtext('status_entries'), drawn & 1023); END IF;
    END IF;
  END LOOP;
END
$$;

CREATE FUNCTION grants_draw_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A grant that an assertion renews brings its entry, unless that was given away meanwhile.
  IF NEW.status_index IS NOT NULL THEN
    UPDATE status_entries SET free_at = greatest(free_at, NEW.expires_at + interval '1 hour')
    WHERE status_index = NEW.status_index AND holder = NEW.id::text AND free_at > now() AND ended_at IS NULL;
    IF FOUND THEN RETURN NEW; END IF;
  END IF;
  NEW.status_index := draw_status_entry(NEW.id::text, NEW.expires_at);
  RETURN NEW;
END
$$;
CREATE TRIGGER grants_status BEFORE INSERT ON grants FOR EACH ROW EXECUTE FUNCTION grants_draw_status();

CREATE FUNCTION clients_draw_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE clients SET status_index = draw_status_entry(NEW.id, 'infinity') WHERE id = NEW.id;
  RETURN NULL;
END
$$;
-- Afterwards, because an INSERT that becomes an UPDATE must draw nothing.
CREATE TRIGGER clients_status AFTER INSERT ON clients
  FOR EACH ROW WHEN (NEW.type = 'machine') EXECUTE FUNCTION clients_draw_status();

CREATE FUNCTION grants_end_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE status_entries SET free_at = least(free_at, NEW.revoked_at + interval '1 hour')
    WHERE status_index = NEW.status_index AND holder = NEW.id::text;
  ELSE
    UPDATE status_entries SET ended_at = coalesce(OLD.revoked_at, now()), free_at = coalesce(OLD.revoked_at, now()) + interval '1 hour'
    WHERE status_index = OLD.status_index AND holder = OLD.id::text AND free_at > now();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER grants_status_revoked AFTER UPDATE OF revoked_at ON grants
  FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION grants_end_status();
CREATE TRIGGER grants_status_removed AFTER DELETE ON grants FOR EACH ROW EXECUTE FUNCTION grants_end_status();

CREATE FUNCTION holders_end_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'users' THEN
    UPDATE status_entries SET ended_at = now() WHERE user_id = OLD.id AND free_at > now();
  ELSE
    UPDATE status_entries SET ended_at = now() WHERE client_id = OLD.id AND free_at > now();
    UPDATE status_entries SET ended_at = now(), free_at = now() + interval '1 hour'
    WHERE status_index = OLD.status_index AND holder = OLD.id AND free_at > now();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER users_status_removed AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION holders_end_status();
CREATE TRIGGER clients_status_removed AFTER DELETE ON clients FOR EACH ROW EXECUTE FUNCTION holders_end_status();

CREATE TABLE consents (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  resource_id uuid NOT NULL REFERENCES resources (id) ON DELETE CASCADE,
  scopes text[] NOT NULL,
  client_digest bytea NOT NULL,
  given_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, client_id, resource_id)
);
COMMENT ON TABLE consents IS 'what a person has allowed a client at a service, so that they are not asked the same again while a grant of it lives';
COMMENT ON COLUMN consents.client_digest IS 'SHA-256 of the client''s redirect addresses and keys: with others it is asked again';
CREATE INDEX consents_client_id ON consents (client_id);
CREATE INDEX consents_given_at ON consents (given_at);
CREATE INDEX consents_resource_id ON consents (resource_id);

CREATE TABLE authorization_codes (
  hash bytea PRIMARY KEY,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  resource_id uuid REFERENCES resources (id) ON DELETE CASCADE,
  scopes text[] NOT NULL,
  nonce text,
  code_challenge text NOT NULL,
  dpop_jkt text,
  auth_time timestamptz,
  amr text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  grant_id uuid REFERENCES grants (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX authorization_codes_client_id ON authorization_codes (client_id);
CREATE INDEX authorization_codes_resource_id ON authorization_codes (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX authorization_codes_user_id ON authorization_codes (user_id);
CREATE INDEX authorization_codes_grant_id ON authorization_codes (grant_id);
-- A used code is kept as long as the grant it produced, so that its second use is recognised.
CREATE INDEX authorization_codes_expires_at ON authorization_codes (expires_at)
  WHERE used_at IS NULL OR grant_id IS NULL;

-- Each refresh token is updated once, when it is used. Room in its page lets that update leave the three indexes alone.
CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY,
  grant_id uuid NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
) WITH (fillfactor = 50);
-- In the order of their making, so that the last use of a grant is the first entry of its own.
CREATE INDEX refresh_tokens_grant_id ON refresh_tokens (grant_id, created_at);
CREATE INDEX refresh_tokens_expires_at ON refresh_tokens (expires_at);

CREATE TABLE dpop_replays (
  key text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE dpop_replays IS 'what was accepted once: DPoP proofs, and client assertions under "client:"';
CREATE INDEX dpop_replays_expires_at ON dpop_replays (expires_at);

CREATE UNLOGGED TABLE rate_limits (
  key text NOT NULL,
  minute integer NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (key, minute)
) WITH (fillfactor = 50);
COMMENT ON TABLE rate_limits IS 'requests per minute since 1970; unlogged, because forgetting them after a crash harms nobody';
CREATE INDEX rate_limits_minute ON rate_limits (minute);

-- Skills: the installation's own, and the last good copy of what each resource publishes.

CREATE TABLE skills (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]*$'),
  title text NOT NULL,
  description text,
  tags text[],
  visibility text NOT NULL CHECK (visibility IN ('DEFAULT', 'HIDDEN_IF_UNALLOWED')),
  content text NOT NULL,
  published boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE skills IS 'the installation''s own; clients see them as "installation.{id}"';
COMMENT ON COLUMN skills.published IS 'false: a draft, which only administrators see';

CREATE TABLE skill_scopes (
  skill_id text NOT NULL REFERENCES skills (id) ON DELETE CASCADE,
  scope_key text NOT NULL REFERENCES scopes (key),
  PRIMARY KEY (skill_id, scope_key)
);
COMMENT ON TABLE skill_scopes IS 'what a person needs for a skill, all of it';
CREATE INDEX skill_scopes_scope_key ON skill_scopes (scope_key);

-- What owners want to change, until a second person decides. Decided ones are in the audit trail only.
CREATE TABLE proposals (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind = 'skill'),
  target text NOT NULL,
  wanted jsonb,
  seen_version integer,
  proposed_by uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  proposed_at timestamptz NOT NULL,
  version integer NOT NULL DEFAULT 1,
  UNIQUE (kind, target, proposed_by),
  CHECK (num_nonnulls(wanted, seen_version) > 0)
);
COMMENT ON COLUMN proposals.target IS 'the id of the skill';
COMMENT ON COLUMN proposals.wanted IS 'the skill as it shall be; null: removed';
COMMENT ON COLUMN proposals.seen_version IS 'the version from which it was made; null: there was none, and it shall be created';
CREATE INDEX proposals_proposed_by ON proposals (proposed_by);
CREATE INDEX proposals_proposed_at ON proposals (proposed_at, id);

CREATE TABLE skill_catalogs (
  resource_id uuid PRIMARY KEY REFERENCES resources (id) ON DELETE CASCADE,
  skills integer,
  fetched_at timestamptz,
  attempted_at timestamptz,
  refresh_at timestamptz NOT NULL,
  leased_until timestamptz,
  failure text
);
COMMENT ON COLUMN skill_catalogs.skills IS 'how many there are in the last good copy; null until there was one';
COMMENT ON COLUMN skill_catalogs.leased_until IS 'a process is fetching it until then at the latest';
CREATE INDEX skill_catalogs_refresh_at ON skill_catalogs (refresh_at);

-- Each skill of a catalog is a row, so that a list of skills reads no texts, and one skill reads one text.
CREATE TABLE catalog_skills (
  resource_id uuid NOT NULL REFERENCES skill_catalogs (resource_id) ON DELETE CASCADE,
  id text NOT NULL,
  position integer NOT NULL,
  title text NOT NULL,
  description text,
  tags text[],
  required_scopes text[] NOT NULL,
  visibility text NOT NULL CHECK (visibility IN ('DEFAULT', 'HIDDEN_IF_UNALLOWED')),
  content text NOT NULL,
  files jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (resource_id, id)
);
COMMENT ON TABLE catalog_skills IS 'the last good copy of what each resource publishes';
COMMENT ON COLUMN catalog_skills.files IS 'path, size and digest of each; the bytes are in catalog_files';
COMMENT ON COLUMN catalog_skills.required_scopes IS 'as the resource says; it may name scopes that do not exist here';

-- By resource, so that nobody gets at the file of another one by knowing its digest.
CREATE TABLE catalog_files (
  resource_id uuid NOT NULL REFERENCES skill_catalogs (resource_id) ON DELETE CASCADE,
  digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
  content bytea NOT NULL,
  PRIMARY KEY (resource_id, digest)
);
COMMENT ON TABLE catalog_files IS 'what the skills of the last good copy name by digest';

CREATE TABLE skill_reads (
  hour timestamptz NOT NULL,
  skill_id text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (hour, skill_id)
);
COMMENT ON TABLE skill_reads IS 'how often the instructions of a skill were read; counted in memory, added every few seconds';

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
  client_secret bytea,
  key_id text GENERATED ALWAYS AS (sealed_key_id(client_secret)) STORED,
  scopes jsonb NOT NULL,
  request_prefixes text[] NOT NULL,
  request_headers text[] NOT NULL DEFAULT '{}',
  methods text[] NOT NULL,
  path_templates text[] NOT NULL,
  request_bytes integer NOT NULL CHECK (request_bytes >= 0),
  response_bytes integer NOT NULL CHECK (response_bytes >= 0),
  timeout_seconds integer NOT NULL CHECK (timeout_seconds > 0),
  requests_per_minute integer NOT NULL CHECK (requests_per_minute > 0),
  rules jsonb NOT NULL DEFAULT '[]',
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN connectors.scopes IS 'of the third party';
COMMENT ON COLUMN connectors.client_secret IS 'sealed, bound to the row''s id; null for a client without one';
CREATE INDEX connectors_key_id ON connectors (key_id, id);

CREATE TABLE connector_tests (
  connector_id uuid PRIMARY KEY REFERENCES connectors (id) ON DELETE CASCADE,
  verdict text NOT NULL CHECK (verdict IN ('accepted', 'refused', 'unknown')),
  reason text NOT NULL,
  provider_message text,
  tested_at timestamptz NOT NULL
);
COMMENT ON TABLE connector_tests IS 'what the third party said of the client id and secret as they are stored';
COMMENT ON COLUMN connector_tests.provider_message IS 'the error code and description of its answer, cleaned';

CREATE TABLE connector_scopes (
  connector_id uuid NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
  scope_key text NOT NULL REFERENCES scopes (key),
  PRIMARY KEY (connector_id, scope_key)
);
COMMENT ON TABLE connector_scopes IS 'scopes of this installation that a person needs for a connector, all of them';
CREATE INDEX connector_scopes_scope_key ON connector_scopes (scope_key);

-- Who decides for a service or connector: people by their address, and groups.
CREATE TABLE owners (
  resource_id uuid REFERENCES resources (id) ON DELETE CASCADE,
  connector_id uuid REFERENCES connectors (id) ON DELETE CASCADE,
  email text CHECK (email = lower(email)),
  group_provider_id uuid REFERENCES group_providers (id),
  group_key text,
  UNIQUE NULLS NOT DISTINCT (resource_id, connector_id, email, group_provider_id, group_key),
  CHECK (num_nonnulls(resource_id, connector_id) = 1),
  CHECK (num_nonnulls(email, group_provider_id) = 1),
  CHECK ((group_provider_id IS NULL) = (group_key IS NULL))
);
CREATE INDEX owners_connector_id ON owners (connector_id) WHERE connector_id IS NOT NULL;
CREATE INDEX owners_email ON owners (email) WHERE email IS NOT NULL;
CREATE INDEX owners_group ON owners (group_provider_id, group_key) WHERE group_key IS NOT NULL;

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
  credentials bytea NOT NULL,
  key_id text NOT NULL GENERATED ALWAYS AS (sealed_key_id(credentials)) STORED,
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
COMMENT ON COLUMN connections.credentials IS 'the tokens, sealed, bound to id, connector_id and user_id';
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

-- A row is here while a forwarded request is on its way. Whoever ends it writes the audit event with the same statement.
CREATE TABLE forwarded_calls (
  id uuid PRIMARY KEY,
  connection_id uuid,
  connector text,
  resource text,
  grant_id uuid,
  user_id uuid NOT NULL,
  client_id text,
  request_id text,
  method text NOT NULL,
  host text NOT NULL,
  path_template text NOT NULL,
  started_at timestamptz NOT NULL,
  ends_before timestamptz NOT NULL,
  rule_use uuid,
  CONSTRAINT forwarded_calls_one_way CHECK (
    (connection_id IS NOT NULL AND connector IS NOT NULL AND resource IS NULL AND grant_id IS NULL)
    OR (connection_id IS NULL AND connector IS NULL AND resource IS NOT NULL AND grant_id IS NOT NULL))
);
COMMENT ON COLUMN forwarded_calls.ends_before IS 'after that no process is at it any more: a row that is still there lost its process';
COMMENT ON COLUMN forwarded_calls.rule_use IS 'where a rule with a limit has counted it; given back when nothing was sent';
CREATE INDEX forwarded_calls_ends_before ON forwarded_calls (ends_before);

CREATE TABLE rule_uses (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL,
  rule bytea NOT NULL CHECK (octet_length(rule) = 32),
  user_id uuid NOT NULL,
  starts_at timestamptz NOT NULL,
  calls integer NOT NULL CHECK (calls >= 0),
  UNIQUE (owner_id, rule, user_id, starts_at)
);
COMMENT ON TABLE rule_uses IS 'how often a person made calls in an hour or a day that a rule limits';
COMMENT ON COLUMN rule_uses.owner_id IS 'the service or connector whose rule it is';
COMMENT ON COLUMN rule_uses.rule IS 'SHA-256 of what the limit counts: methods, path, condition and period';
CREATE INDEX rule_uses_starts_at ON rule_uses (starts_at);

-- The audit trail: append-only, sealed behind itself, and with an end where it was archived.

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
  data jsonb NOT NULL,
  mac bytea
);
COMMENT ON COLUMN audit_events.mac IS 'proves that the server recorded the event; see src/audit/event-proof.ts';
CREATE INDEX audit_events_at ON audit_events (at, id);
CREATE INDEX audit_events_type ON audit_events (type, at, id);
CREATE INDEX audit_events_actor_id ON audit_events (actor_id, at, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_events_subject ON audit_events (subject, at, id) WHERE subject IS NOT NULL;
CREATE INDEX audit_events_email ON audit_events ((data->>'email'), at, id) WHERE subject IS NULL AND data->>'email' IS NOT NULL;
CREATE INDEX audit_events_client_id ON audit_events (client_id, at, id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_events_outcome ON audit_events (outcome, at, id) WHERE outcome <> 'success';

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
  unproven bigint[] NOT NULL,
  CHECK (last_event_id >= first_event_id)
);
COMMENT ON TABLE audit_seals IS 'each row covers every event from first_event_id to last_event_id; see src/audit/README.md';
COMMENT ON COLUMN audit_seals.unproven IS 'events of the seal that the server did not record';

CREATE TABLE audit_archive (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  seal_id bigint NOT NULL,
  last_event_id bigint NOT NULL,
  digest bytea NOT NULL,
  mac bytea NOT NULL
);
COMMENT ON TABLE audit_archive IS 'the last seal that was archived and removed with its events; no row: nothing was';

CREATE FUNCTION audit_events_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM audit_archive WHERE last_event_id >= OLD.id) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION audit_events_refuse_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION audit_events_refuse_change();

CREATE FUNCTION audit_seals_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM audit_archive WHERE seal_id >= OLD.id) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_seals is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE ON audit_seals
  FOR EACH ROW EXECUTE FUNCTION audit_seals_refuse_change();
CREATE TRIGGER audit_seals_no_truncate BEFORE TRUNCATE ON audit_seals
  FOR EACH STATEMENT EXECUTE FUNCTION audit_seals_refuse_change();

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

-- What searches and counts read. Filled behind the seals in the background.

CREATE TABLE audit_search (
  event_id bigint PRIMARY KEY,
  at timestamptz NOT NULL,
  words tsvector NOT NULL
);
COMMENT ON TABLE audit_search IS 'the words of each sealed event; see src/audit/event-words.ts';
-- A short pending list: every search reads it from end to end.
CREATE INDEX audit_search_words ON audit_search USING gin (words) WITH (gin_pending_list_limit = 256);
-- Leaves the pages outside of a search's time alone. A range of pages costs a few bytes, so an event costs next to nothing.
CREATE INDEX audit_search_at ON audit_search USING brin (at) WITH (pages_per_range = 64, autosummarize = on);

CREATE TABLE audit_index_progress (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  through_event_id bigint NOT NULL,
  through_at timestamptz
);
COMMENT ON TABLE audit_index_progress IS 'every event up to this one is in audit_search and in the tables of counts';
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

CREATE TABLE audit_client_counts (
  hour timestamptz NOT NULL,
  client_id text NOT NULL,
  issued bigint NOT NULL,
  denied bigint NOT NULL,
  PRIMARY KEY (client_id, hour)
);
COMMENT ON TABLE audit_client_counts IS 'what was issued to each client, and what was refused';
CREATE INDEX audit_client_counts_hour ON audit_client_counts (hour);

-- One row for each client and person: whoever used it since some hour has a last hour that is not before it.
CREATE TABLE audit_client_people (
  client_id text NOT NULL,
  user_id text NOT NULL,
  last_hour timestamptz NOT NULL,
  PRIMARY KEY (client_id, user_id)
);
COMMENT ON TABLE audit_client_people IS 'when something was last issued to a client for a person, or refused';
CREATE INDEX audit_client_people_last_hour ON audit_client_people (client_id, last_hour);
CREATE INDEX audit_client_people_old ON audit_client_people (last_hour);

-- Who used what through which app. Filled by the same transaction that fills the search, so each event counts once. Whole
-- hours stay for two days and whole days for ninety: a day of a person is a few rows, however busy it was.

CREATE TABLE usage_counts (
  unit text NOT NULL CHECK (unit IN ('hour', 'day')),
  at timestamptz NOT NULL,
  client_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('service', 'connector', 'none')),
  key text NOT NULL,
  issued bigint NOT NULL,
  called bigint NOT NULL,
  denied bigint NOT NULL,
  failed bigint NOT NULL,
  last_answered_at timestamptz,
  last_failed_at timestamptz,
  PRIMARY KEY (unit, at, client_id, kind, key)
) WITH (fillfactor = 80);
COMMENT ON TABLE usage_counts IS 'of all people together; client_id is empty where there was no app, key where there was no service';
COMMENT ON COLUMN usage_counts.last_failed_at IS 'when a call last got no answer or a server error; last_answered_at: any other answer';
CREATE INDEX usage_counts_client ON usage_counts (client_id, unit, at);
CREATE INDEX usage_counts_target ON usage_counts (kind, key, unit, at);

CREATE TABLE usage_people (
  unit text NOT NULL CHECK (unit IN ('hour', 'day')),
  at timestamptz NOT NULL,
  user_id text NOT NULL,
  client_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('service', 'connector', 'none')),
  key text NOT NULL,
  issued bigint NOT NULL,
  called bigint NOT NULL,
  denied bigint NOT NULL,
  failed bigint NOT NULL,
  PRIMARY KEY (unit, at, user_id, client_id, kind, key)
) WITH (fillfactor = 80);
COMMENT ON TABLE usage_people IS 'the same for each person; what machines did for themselves is not in it';
CREATE INDEX usage_people_user ON usage_people (user_id, unit, at);
CREATE INDEX usage_people_client ON usage_people (client_id, unit, at);
CREATE INDEX usage_people_target ON usage_people (kind, key, unit, at);

CREATE TABLE usage_person_sums (
  unit text NOT NULL CHECK (unit IN ('hour', 'day', 'week')),
  at timestamptz NOT NULL,
  user_id text NOT NULL,
  issued bigint NOT NULL,
  called bigint NOT NULL,
  denied bigint NOT NULL,
  failed bigint NOT NULL,
  PRIMARY KEY (unit, at, user_id)
) WITH (fillfactor = 80);
COMMENT ON TABLE usage_person_sums IS 'what each person used altogether, so that a list of all people adds up few rows; weeks begin on Monday, UTC';

CREATE TABLE usage_denials (
  unit text NOT NULL CHECK (unit IN ('hour', 'day')),
  at timestamptz NOT NULL,
  user_id text NOT NULL,
  client_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('service', 'connector', 'none')),
  key text NOT NULL,
  scope text NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (unit, at, user_id, client_id, kind, key, scope, reason)
) WITH (fillfactor = 80);
COMMENT ON TABLE usage_denials IS 'what was refused to whom; scope is empty where no permission was asked for';
CREATE INDEX usage_denials_user ON usage_denials (user_id, unit, at);
CREATE INDEX usage_denials_client ON usage_denials (client_id, unit, at);
CREATE INDEX usage_denials_target ON usage_denials (kind, key, unit, at);

-- What a person is asked about one call. A row ends in one of the last four states, and stays as long as the trail says.

CREATE TABLE approvals (
  id uuid PRIMARY KEY,
  state text NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'approved', 'collected', 'declined', 'expired', 'withdrawn')),
  resource_id uuid REFERENCES resources (id) ON DELETE CASCADE,
  connector_id uuid REFERENCES connectors (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id text NOT NULL,
  grant_id uuid NOT NULL,
  txn text NOT NULL,
  call_digest text NOT NULL,
  method text NOT NULL,
  url text NOT NULL,
  detail jsonb NOT NULL CHECK (jsonb_typeof(detail) = 'object'),
  reason text NOT NULL CHECK (length(reason) <= 500),
  approver_provider text,
  approver_key text,
  max_age_seconds integer CHECK (max_age_seconds >= 0),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  polled_at timestamptz,
  interval_seconds integer NOT NULL,
  decided_by uuid,
  decided_at timestamptz,
  collected_at timestamptz,
  token_id text,
  token_scopes text[],
  token_expires_at timestamptz,
  UNIQUE (resource_id, txn),
  CHECK ((approver_provider IS NULL) = (approver_key IS NULL)),
  CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
  CHECK (state NOT IN ('approved', 'collected', 'declined') OR decided_at IS NOT NULL),
  CHECK (num_nonnulls(resource_id, connector_id) = 1),
  CHECK (num_nonnulls(token_id, token_scopes, token_expires_at) IN (0, 3)),
  CHECK ((state = 'collected') = (collected_at IS NOT NULL)),
  CHECK ((state = 'collected' AND detail->>'type' <> 'authz:call') = (token_id IS NOT NULL)),
  CHECK (connector_id IS NULL OR detail->>'type' = 'authz:call'),
  CHECK (reason <> '' OR detail->>'type' = 'authz:call')
);
COMMENT ON TABLE approvals IS 'each step is one conditional statement that writes its audit event; see src/store/approvals.ts';
COMMENT ON COLUMN approvals.user_id IS 'for whom the app acts';
COMMENT ON COLUMN approvals.detail IS 'the one authorization detail of the challenge, as the service signed it; of type authz:call, a rule of the service or connector asks for a call through this server, and no token is issued';
COMMENT ON COLUMN approvals.reason IS 'in the words of the service, or of the rule; empty: the rule has none';
COMMENT ON COLUMN approvals.approver_provider IS 'the key of the group provider, and in approver_key the group whose members answer; null: the person themselves';
COMMENT ON COLUMN approvals.max_age_seconds IS 'how long ago the approver may have signed in; null: as long as the browser session lasts';
COMMENT ON COLUMN approvals.expires_at IS 'of a pending one when it can no longer be answered, of an approved one when it can no longer be collected';
COMMENT ON COLUMN approvals.token_id IS '"jti" of the token: until it expires, the same token can be collected again';
-- An equal call joins the approval that waits already.
CREATE UNIQUE INDEX approvals_open ON approvals (grant_id, coalesce(resource_id, connector_id), call_digest) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_by_connector ON approvals (connector_id) WHERE connector_id IS NOT NULL;
CREATE INDEX approvals_by_user ON approvals (user_id, client_id, created_at);
CREATE INDEX approvals_by_call ON approvals (grant_id, call_digest, decided_at);
CREATE INDEX approvals_open_until ON approvals (expires_at) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_by_state ON approvals (state, created_at, id);
CREATE INDEX approvals_by_creation ON approvals (created_at, id);

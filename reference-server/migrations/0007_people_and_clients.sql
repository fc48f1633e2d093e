-- What the lists of people, groups, clients, sessions and log-ins are searched and sorted by.

-- Search finds words by their beginning: "lov" finds Ada Lovelace, and "ada acme" finds ada@acme.example. That needs
-- nothing but PostgreSQL itself; an index for text in the middle of a word would need the extension pg_trgm, which
-- not every database has. These indexes are kept up at once: writes are rare, and a list of pending ones slows searches.
CREATE FUNCTION search_words(searched text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('pg_catalog.simple', translate(searched, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))
$$;
COMMENT ON FUNCTION search_words IS 'the words of a text; asked with the prefixes that src/store/knex/word-search.ts writes';

ALTER TABLE users ADD COLUMN words tsvector NOT NULL
  GENERATED ALWAYS AS (search_words(coalesce(email, '') || ' ' || coalesce(name, ''))) STORED;
CREATE INDEX users_words ON users USING gin (words) WITH (fastupdate = off);
CREATE INDEX users_by_email ON users (coalesce(email, ''), id);
CREATE INDEX users_by_name ON users (lower(coalesce(name, '')), id);
CREATE INDEX users_by_last_sign_in ON users (coalesce(last_signed_in_at, '-infinity'), id);
CREATE INDEX users_by_creation ON users (created_at, id);

ALTER TABLE clients ADD COLUMN words tsvector NOT NULL
  GENERATED ALWAYS AS (search_words(id || ' ' || name)) STORED;
CREATE INDEX clients_words ON clients USING gin (words) WITH (fastupdate = off);
CREATE INDEX clients_by_name ON clients (lower(name), id);

DROP INDEX browser_sessions_user_id;
DROP INDEX browser_sessions_provider_id;
CREATE INDEX browser_sessions_user_id ON browser_sessions (user_id, signed_in_at, id);
CREATE INDEX browser_sessions_provider_id ON browser_sessions (provider_id, signed_in_at, id);
CREATE INDEX browser_sessions_signed_in_at ON browser_sessions (signed_in_at, id);

DROP INDEX grants_user_id;
DROP INDEX grants_client_id;
CREATE INDEX grants_user_id ON grants (user_id, created_at, id);
CREATE INDEX grants_client_id ON grants (client_id, created_at, id);
CREATE INDEX grants_created_at ON grants (created_at, id);

-- Every group that an identity provider has named or that an assignment names. Kept by triggers, so that it is right
-- whoever writes; a sign-in writes here only what is new or was last seen more than a day ago.
CREATE TABLE known_groups (
  provider_id uuid NOT NULL REFERENCES group_providers (id) ON DELETE CASCADE,
  key text NOT NULL,
  seen_at timestamptz NOT NULL,
  words tsvector NOT NULL GENERATED ALWAYS AS (search_words(key)) STORED,
  PRIMARY KEY (provider_id, key)
);
COMMENT ON COLUMN known_groups.seen_at IS 'when a sign-in last named it, to the day; infinity while an assignment does';
CREATE INDEX known_groups_by_key ON known_groups (key, provider_id);
CREATE INDEX known_groups_words ON known_groups USING gin (words) WITH (fastupdate = off);
CREATE INDEX known_groups_seen_at ON known_groups (seen_at);
CREATE INDEX user_groups_groups ON user_groups USING gin (groups) WITH (fastupdate = off);

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
      SELECT FROM assignments a WHERE a.group_provider_id = OLD.group_provider_id AND a.group_key = OLD.group_key);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER assignments_known_new AFTER INSERT ON assignments
  FOR EACH ROW WHEN (NEW.group_key IS NOT NULL) EXECUTE FUNCTION known_groups_of_assignment();
CREATE TRIGGER assignments_known_gone AFTER DELETE ON assignments
  FOR EACH ROW WHEN (OLD.group_key IS NOT NULL) EXECUTE FUNCTION known_groups_of_assignment();

INSERT INTO known_groups (provider_id, key, seen_at)
  SELECT DISTINCT group_provider_id, group_key, 'infinity'::timestamptz FROM assignments WHERE group_key IS NOT NULL
  UNION ALL
  SELECT DISTINCT p.id, named.key, now()
  FROM user_groups g JOIN group_providers p ON p.identity_provider_id = g.provider_id, unnest(g.groups) AS named (key)
  ON CONFLICT DO NOTHING;

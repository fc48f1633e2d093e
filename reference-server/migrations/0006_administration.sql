-- What the lists of scopes, resources and assignments are searched and sorted by.

-- The words of a text, asked with the prefixes that src/store/knex/word-search.ts writes.
ALTER TABLE scopes ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  to_tsvector('pg_catalog.simple', translate(key || ' ' || description,
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))) STORED;
ALTER TABLE resources ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  to_tsvector('pg_catalog.simple', translate(key || ' ' || name || ' ' || resource,
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))) STORED;
ALTER TABLE assignments ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  to_tsvector('pg_catalog.simple', translate(coalesce(email, group_key),
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))) STORED;
CREATE INDEX scopes_words ON scopes USING gin (words);
CREATE INDEX resources_words ON resources USING gin (words);
CREATE INDEX assignments_words ON assignments USING gin (words);

CREATE INDEX scopes_by_creation ON scopes (created_at, key);
CREATE INDEX resources_by_name ON resources (lower(name), key);
CREATE INDEX resources_by_creation ON resources (created_at, key);
CREATE INDEX assignments_by_assignee ON assignments ((coalesce(email, group_key)), id);
CREATE INDEX assignments_by_creation ON assignments (created_at, id);
DROP INDEX assignments_scope_key;
CREATE INDEX assignments_scope_key ON assignments (scope_key, id);

-- Two resources with one prefix leave clients without an answer to whose it is.
CREATE INDEX resources_request_prefixes ON resources USING gin (request_prefixes);
-- Whether a scope is used by a skill.
CREATE INDEX skills_required_scopes ON skills USING gin (required_scopes);

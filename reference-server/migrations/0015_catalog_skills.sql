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
  PRIMARY KEY (resource_id, id)
);
COMMENT ON TABLE catalog_skills IS 'the last good copy of what each resource publishes';

INSERT INTO catalog_skills (resource_id, id, position, title, description, tags, required_scopes, visibility, content)
SELECT resource_id, skill.id, position, title, description, tags, "requiredScopes", visibility, content
FROM skill_catalogs, ROWS FROM (jsonb_to_recordset(items) AS (id text, title text, description text, tags text[],
  "requiredScopes" text[], visibility text, content text)) WITH ORDINALITY
  AS skill (id, title, description, tags, "requiredScopes", visibility, content, position)
WHERE items IS NOT NULL;

ALTER TABLE skill_catalogs ADD COLUMN skills integer;
COMMENT ON COLUMN skill_catalogs.skills IS 'how many there are in the last good copy; null until there was one';
UPDATE skill_catalogs SET skills = jsonb_array_length(items) WHERE items IS NOT NULL;
COMMENT ON COLUMN skill_catalogs.items IS 'for processes of the version before, while they still run; the next fetch empties it';

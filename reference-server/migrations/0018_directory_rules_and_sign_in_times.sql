-- Which of a directory's groups have a scope, when the directory cannot say who is in them.

CREATE INDEX assignments_by_group_scope ON assignments (group_provider_id, scope_key, group_key)
  WHERE group_provider_id IS NOT NULL;

-- When somebody authenticated is the provider's word, or it is not known. A sign-in remembers whether it asked for a new one.

ALTER TABLE sign_in_attempts ADD COLUMN asks_anew boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN sign_in_attempts.asks_anew IS 'the provider was told to authenticate the person anew';

ALTER TABLE browser_sessions ALTER COLUMN auth_time DROP NOT NULL, ADD COLUMN asked_anew_at timestamptz;
COMMENT ON COLUMN browser_sessions.auth_time IS 'when the provider says that it authenticated the person; null: it does not say';
COMMENT ON COLUMN browser_sessions.asked_anew_at IS 'when the provider was told to authenticate the person anew, for this session; null: it was not';

ALTER TABLE authorization_codes ALTER COLUMN auth_time DROP NOT NULL;
ALTER TABLE grants ALTER COLUMN auth_time DROP NOT NULL;
ALTER TABLE device_authorizations
  DROP CONSTRAINT device_authorizations_check,
  ADD CHECK ((answer IS NOT DISTINCT FROM 'allowed') <= (user_id IS NOT NULL AND amr IS NOT NULL));

-- Providers say whole seconds. Anything else was the moment at which somebody came back from one that did not say.
UPDATE browser_sessions SET auth_time = NULL WHERE auth_time <> date_trunc('second', auth_time);
UPDATE authorization_codes SET auth_time = NULL WHERE auth_time <> date_trunc('second', auth_time);
UPDATE device_authorizations SET auth_time = NULL WHERE auth_time <> date_trunc('second', auth_time);
UPDATE grants SET auth_time = NULL WHERE auth_time <> date_trunc('second', auth_time);

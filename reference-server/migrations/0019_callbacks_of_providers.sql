-- Each sign-in provider has a callback of its own, so that the answer of one is never taken for another's (RFC 9700 §4.4).
-- One of them may keep the callback that all had before: the oldest, which is the only one in most installations.

ALTER TABLE identity_providers ADD COLUMN own_callback boolean NOT NULL DEFAULT true;
UPDATE identity_providers SET own_callback = false
  WHERE id = (SELECT id FROM identity_providers ORDER BY created_at, key LIMIT 1);
COMMENT ON COLUMN identity_providers.own_callback IS
  'browsers come back to /sign-in/callback/KEY; false: to /sign-in/callback, which one provider has at most';
CREATE UNIQUE INDEX identity_providers_plain_callback ON identity_providers (own_callback) WHERE NOT own_callback;

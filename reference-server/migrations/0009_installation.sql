-- When the installation was set up, what the button of a provider says, and where a device asked from.

ALTER TABLE settings ADD COLUMN installed_at timestamptz;
COMMENT ON COLUMN settings.installed_at IS 'null: /setup is open to whoever has the set-up token';
UPDATE settings SET installed_at = now()
  WHERE EXISTS (SELECT FROM identity_providers WHERE enabled)
    AND EXISTS (SELECT FROM assignments WHERE scope_key = 'authz:administer');

ALTER TABLE identity_providers ADD COLUMN button_label text;
COMMENT ON COLUMN identity_providers.button_label IS 'null: the name';

ALTER TABLE device_authorizations ADD COLUMN client_address text;
COMMENT ON COLUMN device_authorizations.client_address IS 'where the device asked from, for the person who answers';

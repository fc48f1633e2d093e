-- How many log-ins of a client are live, from the index alone: nearly all log-ins are of one client.

CREATE INDEX grants_live ON grants (client_id, expires_at) WHERE revoked_at IS NULL;

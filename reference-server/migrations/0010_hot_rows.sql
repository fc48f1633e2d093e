-- Each refresh token is updated once, when it is used. Room in its page lets that update leave the three indexes alone.

ALTER TABLE refresh_tokens SET (fillfactor = 50);

-- Written whenever a process asks whether the database can be written to; says nothing but that.
CREATE TABLE write_checks (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  checked_at timestamptz NOT NULL
) WITH (fillfactor = 10);
INSERT INTO write_checks (checked_at) VALUES (now());

-- What every process on this database must have in common. Of a secret only a value that is derived from it.
CREATE TABLE secret_checks (
  variable text PRIMARY KEY,
  value text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);

CREATE SCHEMA operator;

CREATE TABLE operator.key (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  -- The leading characters, by which a key is recognised in a list.
  prefix text NOT NULL,
  -- SHA-256 of the whole key, which has 256 random bits.
  hash bytea NOT NULL UNIQUE,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

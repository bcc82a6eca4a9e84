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

-- The trace of merchants that were closed and deleted: enough to say when and why one is gone.
CREATE TABLE operator.deleted_merchant (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  closed_at timestamptz NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deleted_merchant_deleted_at ON operator.deleted_merchant (deleted_at);

-- Shops that are asked for with an address that isn't confirmed yet.
CREATE TABLE operator.sign_up (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  email citext NOT NULL,
  -- The arguments of merchant.open_merchant.
  account jsonb NOT NULL,
  -- The network that it was asked from; NULL: unknown.
  network text,
  -- SHA-256 of the mailed token.
  hash bytea NOT NULL UNIQUE,
  -- The token itself, sealed, until it is mailed. NULL: it was, or no mail is due.
  undelivered text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  opened_at timestamptz,
  -- The answer with the keys, sealed: it is repeated for some minutes, in case it got lost.
  answer text,
  CONSTRAINT sign_up_answer CHECK (answer IS NULL OR opened_at IS NOT NULL)
);
CREATE INDEX sign_up_email ON operator.sign_up (email, created_at);
CREATE INDEX sign_up_network ON operator.sign_up (network, created_at) WHERE network IS NOT NULL;
CREATE INDEX sign_up_created_at ON operator.sign_up (created_at);
CREATE INDEX sign_up_undelivered ON operator.sign_up (next_attempt_at) WHERE undelivered IS NOT NULL;
CREATE INDEX sign_up_answered ON operator.sign_up (opened_at) WHERE answer IS NOT NULL;

CREATE SCHEMA platform;

CREATE TABLE platform.idempotency_record (
  -- The nil id: an operator's.
  merchant_id uuid NOT NULL,
  -- The key's owner, since clients choose keys for themselves: 'merchant' (all its API keys and users), 'operator',
  -- 'customer:<id>', 'guest:<network and cart>', or 'secret:<digest>' of what a guest proves itself by.
  caller text NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  -- Which of several mutations of a document it is about, and of several items of a list; '' where there is one.
  part text NOT NULL DEFAULT '' CHECK (char_length(part) <= 300),
  operation text NOT NULL,
  -- A digest of the arguments: the same key with others is a conflict.
  fingerprint text NOT NULL,
  -- Of an action, its outcome. NULL for rows, whose records are read anew, and for what is sealed.
  response jsonb,
  -- An outcome that holds secrets, sealed with the services' encryption key. It is forgotten before the key is.
  sealed text,
  sealed_until timestamptz,
  -- Ids in the arguments and the outcome; of rows first of all the ids of the records that were written.
  record_ids uuid[] NOT NULL DEFAULT '{}',
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL DEFAULT now() + INTERVAL '24 hours',
  PRIMARY KEY (merchant_id, caller, key, part),
  CHECK ((sealed IS NULL) OR (sealed_until IS NOT NULL AND response IS NULL))
);
CREATE INDEX idempotency_record_expires_at ON platform.idempotency_record (expires_at);
CREATE INDEX idempotency_record_sealed_until ON platform.idempotency_record (sealed_until) WHERE sealed IS NOT NULL;

-- The name of the deployment in keys, links and payments' references. It is given once.
CREATE TABLE platform.own_place (
  is_only boolean PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9]{0,5}$')
);

CREATE TABLE platform.applied_migration (
  name text PRIMARY KEY,
  content_hash text NOT NULL
);

-- The metadata that was applied last, so that a start that finds it in Hasura need not apply it again.
CREATE TABLE platform.applied_metadata (
  is_only boolean PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  content_hash text NOT NULL,
  -- Hasura's number for it, which each change of Hasura's metadata increases.
  resource_version bigint NOT NULL,
  -- Those before it, the latest first: processes of an earlier version find that the database has gone on from theirs.
  former_hashes text[] NOT NULL DEFAULT '{}'
);

-- The processes that run. Each renews its row, and removes those of processes that were killed.
CREATE TABLE platform.process (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  roles text[] NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  -- What has to be the same everywhere, by its name: versions, and fingerprints of secrets. No secret.
  settings jsonb NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX process_seen_at ON platform.process (seen_at);

CREATE TABLE platform.job_run (
  job text PRIMARY KEY,
  -- Milliseconds from one run to the next.
  every integer NOT NULL,
  -- When a process last began to run it.
  since timestamptz NOT NULL DEFAULT now(),
  succeeded_at timestamptz,
  failed_at timestamptz,
  failure text
);

CREATE TABLE platform.language (
  code text PRIMARY KEY CHECK (code ~ '^[a-z]{2}$'),
  name text NOT NULL,
  stemmer text NOT NULL
);

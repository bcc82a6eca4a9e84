CREATE SCHEMA audit;

CREATE TABLE audit.entry (
  -- No foreign key: an entry outlives its actor and the merchant. The nil id: it was about no merchant.
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor_kind text NOT NULL CHECK (actor_kind IN ('KEY', 'USER', 'CUSTOMER', 'OPERATOR')),
  actor_id uuid,
  client_address text CHECK (char_length(client_address) <= 64),
  request_id text CHECK (char_length(request_id) <= 128),
  -- CONTRACT: /graphql. HASURA: Hasura's own API. COMMAND_LINE: a program on the operator's machine.
  source text NOT NULL CHECK (source IN ('CONTRACT', 'HASURA', 'COMMAND_LINE')),
  -- The client's name for its operation.
  operation_name text CHECK (char_length(operation_name) <= 200),
  -- The root field; NULL where access was refused before the document was read.
  operation text CHECK (char_length(operation) <= 200),
  -- Of changed rows: their type in GraphQL and what became of them.
  record text,
  change text CHECK (change IN ('CREATED', 'UPDATED', 'DELETED')),
  -- At most 100 of the records that were named or changed.
  target_ids uuid[] NOT NULL DEFAULT '{}',
  -- STARTED: an action that was begun, and whose end, under attempt_id, isn't known.
  outcome text NOT NULL CHECK (outcome IN ('STARTED', 'DONE', 'INVALID', 'REFUSED', 'FAILED')),
  -- Of user errors, or the catalogue's id.
  codes text[] NOT NULL DEFAULT '{}',
  -- The number of times: repetitions of a refusal within a minute are one entry.
  occurrences integer NOT NULL DEFAULT 1 CHECK (occurrences > 0),
  attempt_id uuid,
  -- Read newest first.
  PRIMARY KEY (merchant_id, created_at, id)
)
PARTITION BY RANGE (created_at);
CREATE INDEX entry_attempt ON audit.entry (merchant_id, attempt_id) WHERE attempt_id IS NOT NULL;
CREATE INDEX entry_target ON audit.entry USING gin (target_ids);
CREATE INDEX entry_actor ON audit.entry (merchant_id, actor_id, created_at);

CREATE TABLE audit.entry_rest PARTITION OF audit.entry DEFAULT;
CREATE INDEX entry_operator ON audit.entry (created_at) WHERE actor_kind = 'OPERATOR';

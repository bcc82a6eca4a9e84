CREATE SCHEMA events;

-- What is recorded of a table's rows. `record_type` is the type of the contract that `id_column` names a record of.
CREATE TABLE events.source (
  name text PRIMARY KEY,
  table_name text NOT NULL UNIQUE,
  record_type text NOT NULL,
  id_column text NOT NULL DEFAULT 'id',
  -- The contract's type that has the columns as fields, where that is not the record's own.
  row_type text,
  -- What it takes to see such events, besides events:read.
  permission text NOT NULL,
  -- The columns that an event shows, and whose changes are events. Never a credential's.
  columns text[] NOT NULL
);

-- Every event that there can be. With `column_name`, the column has changed, to `value` or, if that is NULL, to
-- anything but NULL.
CREATE TABLE events.topic (
  name text PRIMARY KEY CHECK (name ~ '^[a-z_]+\.[a-z_]+$'),
  source text NOT NULL REFERENCES events.source,
  change text NOT NULL CHECK (change IN ('CREATED', 'UPDATED', 'DELETED')),
  column_name text,
  value text,
  description text NOT NULL,
  CHECK (value IS NULL OR column_name IS NOT NULL)
);
CREATE INDEX topic_of_source ON events.topic (source, change);

CREATE SEQUENCE events.change_number;

CREATE SEQUENCE events.version;

CREATE SEQUENCE events.position;

-- Changes that the sequencer has not turned into events yet. They stay for milliseconds, so there is no foreign key:
-- the insert belongs to the transaction of the change, and is to cost little.
CREATE TABLE events.change (
  merchant_id uuid NOT NULL,
  -- Taken while the transaction has the lock of the row: a later change of the row has a greater one.
  number bigint NOT NULL DEFAULT nextval('events.change_number'),
  source text NOT NULL,
  before jsonb,
  after jsonb,
  -- The trace that it belongs to, as Hasura writes it; NULL where nothing is traced.
  trace_context text DEFAULT nullif(current_setting('hasura.tracecontext', TRUE), ''),
  occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, number)
);
CREATE UNIQUE INDEX change_number_key ON events.change (number);

-- Numbers are texts of 16 digits: they sort as numbers do, and no client rounds them.
CREATE TABLE events.event (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- Given after the commit, under a lock: no event ever becomes visible below one that is visible already.
  position text NOT NULL DEFAULT lpad(nextval('events.position')::text, 16, '0'),
  topic text NOT NULL,
  record_type text NOT NULL,
  record_id uuid NOT NULL,
  -- Of the record: an event of a later change has a greater one, and a greater position. The events of one change have
  -- one version.
  version text NOT NULL,
  permission text NOT NULL,
  -- The record's fields after the change, or before its deletion.
  record jsonb NOT NULL,
  -- {field: {old, new}}; empty unless the record was updated.
  changes jsonb NOT NULL,
  occurred_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id)
);
CREATE UNIQUE INDEX event_position ON events.event (merchant_id, position);
CREATE INDEX event_record ON events.event (merchant_id, record_id, position);
CREATE INDEX event_occurred_at ON events.event (merchant_id, occurred_at);
CREATE INDEX event_age ON events.event (created_at);

-- Records that are deleted, or look so (decision 6): what a client that copies records has to delete, too.
CREATE TABLE events.deletion (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  record_type text NOT NULL,
  record_id uuid NOT NULL,
  -- What it takes to see it, besides events:read.
  permission text NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX deletion_deleted_at ON events.deletion (merchant_id, deleted_at, id);
CREATE INDEX deletion_age ON events.deletion (deleted_at);

-- A merchant's server that events are sent to.
CREATE TABLE events.endpoint (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  url text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 2048),
  description text,
  -- Names of topics, `order.*` and `*`.
  topics text[] NOT NULL CHECK (cardinality(topics) BETWEEN 1 AND 200),
  -- Conditions that all hold: [{field, changed?, equals?, oneOf?, atLeast?, atMost?}].
  filter jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(filter) = 'array'),
  -- The selection of the record that is sent along; NULL: none.
  query text CHECK (char_length(query) <= 20000),
  -- Of the caller who wrote the endpoint last: it sees no more than that caller.
  permissions text[] NOT NULL,
  -- Grows when the endpoint loses a permission: what was rendered before may show what it may not see any more.
  permissions_version integer NOT NULL DEFAULT 1,
  status text NOT NULL DEFAULT 'ENABLED' CHECK (status IN ('ENABLED', 'DISABLED')),
  -- Why it was switched off, if the platform did it.
  disabled_reason text CHECK (disabled_reason IN ('FAILING', 'GONE')),
  disabled_at timestamptz,
  -- Since when no delivery has succeeded; NULL after one that has.
  failing_since timestamptz,
  -- How long deliveries are signed with the key before the present one, too.
  previous_secret_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CHECK (disabled_reason IS NULL OR status = 'DISABLED')
);
CREATE INDEX endpoint_created_at ON events.endpoint (merchant_id, created_at, id);
CREATE INDEX endpoint_enabled ON events.endpoint (merchant_id) WHERE status = 'ENABLED';

-- The keys that sign, sealed (actions/src/events/endpoint-secrets.ts). They are apart from the endpoint, as Hasura
-- reads all columns of a table that it serves.
CREATE TABLE events.endpoint_secret (
  merchant_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  secret text NOT NULL,
  previous_secret text,
  PRIMARY KEY (merchant_id, endpoint_id),
  FOREIGN KEY (merchant_id, endpoint_id) REFERENCES events.endpoint
    ON DELETE CASCADE
);

-- An event on its way to an endpoint. It is first rendered, once, and then sent until it is taken or given up.
CREATE TABLE events.delivery (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  endpoint_id uuid NOT NULL,
  -- NULL: a test without an event.
  event_id uuid,
  is_test boolean NOT NULL DEFAULT FALSE,
  topic text NOT NULL,
  record_id uuid,
  position text NOT NULL,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'SENDING', 'DELIVERED', 'FAILED')),
  -- What is sent, byte for byte; NULL until it is rendered.
  body text,
  -- The endpoint's when the body was rendered.
  permissions_version integer,
  rendering_attempts integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  -- Attempts that have failed since it was queued, or replayed.
  tries integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claimed_until timestamptz,
  -- Of the last attempt.
  response_status integer,
  error text,
  -- The trace of the change, as Hasura writes it; NULL where nothing is traced.
  trace_context text,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT delivery_endpoint_fkey
    FOREIGN KEY (merchant_id, endpoint_id) REFERENCES events.endpoint
      ON DELETE CASCADE,
  CONSTRAINT delivery_event_fkey
    FOREIGN KEY (merchant_id, event_id) REFERENCES events.event
      ON DELETE CASCADE
);
CREATE UNIQUE INDEX delivery_once ON events.delivery (merchant_id, endpoint_id, event_id) WHERE NOT is_test;
CREATE INDEX delivery_created_at ON events.delivery (merchant_id, created_at, id);
CREATE INDEX delivery_of_event ON events.delivery (merchant_id, event_id);
CREATE INDEX delivery_of_endpoint ON events.delivery (merchant_id, endpoint_id, position);
CREATE INDEX delivery_to_render ON events.delivery (merchant_id, endpoint_id, position)
WHERE body IS NULL AND status = 'PENDING';
CREATE INDEX delivery_rendering ON events.delivery (merchant_id, endpoint_id, claimed_until)
WHERE body IS NULL AND status = 'PENDING' AND claimed_until IS NOT NULL;
CREATE INDEX delivery_due ON events.delivery (merchant_id, endpoint_id, next_attempt_at)
WHERE status = 'PENDING' AND body IS NOT NULL;
CREATE INDEX delivery_test_due ON events.delivery (merchant_id, endpoint_id, next_attempt_at)
WHERE is_test AND status = 'PENDING' AND body IS NOT NULL;
CREATE INDEX delivery_open ON events.delivery (merchant_id, endpoint_id, record_id, position)
WHERE status IN ('PENDING', 'SENDING');
-- A worker that renews its claims names the ids alone.
CREATE INDEX delivery_sending ON events.delivery (id) WHERE status = 'SENDING';
CREATE INDEX delivery_claimed ON events.delivery (claimed_until) WHERE status = 'SENDING';
CREATE INDEX delivery_ended ON events.delivery (created_at) WHERE status IN ('DELIVERED', 'FAILED');
CREATE INDEX delivery_failed ON events.delivery (next_attempt_at) WHERE status = 'FAILED';

-- A request to an endpoint, and how it ended.
CREATE TABLE events.attempt (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  url text NOT NULL,
  request_headers jsonb NOT NULL,
  -- NULL: there was no answer.
  response_status integer,
  response_headers jsonb,
  -- The beginning of it.
  response_body text CHECK (char_length(response_body) <= 4096),
  error text CHECK (char_length(error) <= 500),
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT attempt_delivery_fkey
    FOREIGN KEY (merchant_id, delivery_id) REFERENCES events.delivery
      ON DELETE CASCADE
);
CREATE INDEX attempt_of_delivery ON events.attempt (merchant_id, delivery_id, number);

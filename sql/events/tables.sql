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

CREATE SEQUENCE events.version;

CREATE SEQUENCE events.position;

-- Changes that the sequencer has not turned into events yet. They stay for milliseconds, so there is no foreign key:
-- the insert belongs to the transaction of the change, and is to cost little.
CREATE TABLE events.change (
  merchant_id uuid NOT NULL,
  version text NOT NULL DEFAULT lpad(nextval('events.version')::text, 16, '0'),
  source text NOT NULL,
  before jsonb,
  after jsonb,
  occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, version)
);
CREATE UNIQUE INDEX change_version ON events.change (version);

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
  -- Of the record: a later change of it has a greater one.
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

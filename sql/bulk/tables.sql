CREATE SCHEMA bulk;

-- A file of rows that a merchant brings from another system. A worker checks all of its rows, then writes them, some
-- hundred in one transaction, which also moves `checked` or `written` on: so a worker that dies resumes where the last
-- transaction ended.
CREATE TABLE bulk.import (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  status text NOT NULL DEFAULT 'AWAITING_UPLOAD' CHECK (
    status IN ('AWAITING_UPLOAD', 'QUEUED', 'CHECKING', 'WRITING', 'SUCCEEDED', 'FAILED', 'CANCELLED')
  ),
  format text NOT NULL CHECK (format IN ('JSON_LINES', 'CSV')),
  -- The type of rows that don't say theirs.
  record_type text CHECK (record_type IN ('PRODUCT', 'CUSTOMER', 'CATEGORY', 'PROMOTION', 'REVIEW', 'ORDER')),
  file_name text,
  dry_run boolean NOT NULL DEFAULT FALSE,
  on_existing text NOT NULL DEFAULT 'SKIP' CHECK (on_existing IN ('SKIP', 'UPDATE')),
  on_refused text NOT NULL DEFAULT 'SKIP' CHECK (on_refused IN ('SKIP', 'STOP')),
  -- Rows of the file; NULL until all are checked.
  rows integer CHECK (rows >= 0),
  -- Rows from the first one on that are checked, and that are dealt with for good.
  checked integer NOT NULL DEFAULT 0 CHECK (checked >= 0),
  written integer NOT NULL DEFAULT 0 CHECK (written >= 0),
  imported integer NOT NULL DEFAULT 0 CHECK (imported >= 0),
  unchanged integer NOT NULL DEFAULT 0 CHECK (unchanged >= 0),
  refused integer NOT NULL DEFAULT 0 CHECK (refused >= 0),
  -- Why it ended before its end.
  failure text CHECK (failure <> ''),
  -- Until when a worker has it. One that is not prolonged was left by a worker that died.
  claimed_until timestamptz,
  -- How often a worker has begun since it last went on.
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX import_created_at ON bulk.import (merchant_id, created_at, id);
CREATE INDEX import_updated_at ON bulk.import (merchant_id, updated_at, id);
CREATE INDEX import_under_way ON bulk.import (created_at) WHERE finished_at IS NULL;
CREATE INDEX import_finished_at ON bulk.import (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE bulk.import_error (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  import_id uuid NOT NULL,
  -- The line of the file in which the row begins; the first one is 1.
  line integer NOT NULL CHECK (line > 0),
  record_type text,
  -- What the merchant knows the row by.
  key text,
  field text NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT import_error_line_key UNIQUE (merchant_id, import_id, line, field),
  CONSTRAINT import_error_import_fkey
    FOREIGN KEY (merchant_id, import_id) REFERENCES bulk.import
      ON DELETE CASCADE
);

-- What rows of an import that were found good will write: a later row of the same file may not write it again, and may
-- refer to it. A key of the kind EMPTY_CATEGORY is the id of a category that a path has made, until its row fills it.
CREATE TABLE bulk.import_key (
  merchant_id uuid NOT NULL,
  import_id uuid NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  PRIMARY KEY (merchant_id, import_id, kind, key),
  CONSTRAINT import_key_import_fkey
    FOREIGN KEY (merchant_id, import_id) REFERENCES bulk.import
      ON DELETE CASCADE
);

-- The record that a row of another system became. The same row is not written again.
CREATE TABLE bulk.imported_record (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  record_type text NOT NULL CHECK (record_type IN ('PRODUCT', 'CUSTOMER', 'CATEGORY', 'PROMOTION', 'REVIEW', 'ORDER')),
  external_id text NOT NULL CHECK (external_id <> ''),
  record_id uuid NOT NULL,
  -- A hash of the row.
  fingerprint text NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, record_type, external_id)
);

-- A file that is written for a merchant or a shopper: the records of a query, or all that is stored about a person. A
-- worker adds part after part; another one goes on after the last part when it dies.
CREATE TABLE bulk.export (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (kind IN ('QUERY', 'CUSTOMER_DATA')),
  status text NOT NULL DEFAULT 'QUEUED' CHECK (status IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  format text NOT NULL CHECK (format IN ('JSON_LINES', 'CSV')),
  -- By gzip.
  compressed boolean NOT NULL DEFAULT FALSE,
  -- Of a QUERY: the document as it was sent, and the records of a page.
  query text,
  page_size integer CHECK (page_size BETWEEN 1 AND 100),
  -- Of CUSTOMER_DATA: the person, until that record is anonymised or deleted. Then the file is, too.
  customer_id uuid,
  -- The caller who began it, and the permissions that it had: a QUERY reads with those that it still has.
  holder_kind text NOT NULL CHECK (holder_kind IN ('KEY', 'USER', 'CUSTOMER')),
  holder_id uuid NOT NULL,
  permissions text[] NOT NULL,
  -- What the query matched when it began; NULL before, and for CUSTOMER_DATA.
  total_rows integer CHECK (total_rows >= 0),
  rows integer NOT NULL DEFAULT 0 CHECK (rows >= 0),
  bytes integer NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  -- The cursor after the last row of the last part.
  position text,
  parts integer NOT NULL DEFAULT 0 CHECK (parts >= 0),
  -- Failed tries since the last part.
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  failure text CHECK (failure <> ''),
  -- The link to the file: a secret of the caller, good until expires_at.
  url text,
  expires_at timestamptz,
  -- The worker that has it, and until when. It prolongs that with each part.
  claim uuid,
  claimed_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id),
  CONSTRAINT export_query CHECK ((kind = 'QUERY') = (query IS NOT NULL AND page_size IS NOT NULL)),
  CONSTRAINT export_link CHECK ((status = 'SUCCEEDED') = (url IS NOT NULL))
);
CREATE INDEX export_updated_at ON bulk.export (merchant_id, updated_at, id);
CREATE INDEX export_created_at ON bulk.export (merchant_id, created_at, id);
CREATE INDEX export_under_way ON bulk.export (claimed_until, created_at) WHERE finished_at IS NULL;
CREATE INDEX export_expires_at ON bulk.export (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX export_customer ON bulk.export (merchant_id, customer_id) WHERE customer_id IS NOT NULL;

-- Consecutive rows of an export's file, which are stored under a key until the file is whole.
CREATE TABLE bulk.export_part (
  merchant_id uuid NOT NULL,
  export_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  file_key text NOT NULL,
  bytes integer NOT NULL CHECK (bytes > 0),
  rows integer NOT NULL CHECK (rows > 0),
  PRIMARY KEY (merchant_id, export_id, number),
  FOREIGN KEY (merchant_id, export_id) REFERENCES bulk.export
    ON DELETE CASCADE
);

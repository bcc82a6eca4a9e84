CREATE SCHEMA files;

CREATE TABLE files.file (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  purpose text NOT NULL CHECK (purpose IN ('IMAGE', 'DOWNLOAD')),
  -- UPLOADING until the client has completed the upload; an image is PROCESSING until its sizes are made.
  status text NOT NULL DEFAULT 'UPLOADING' CHECK (status IN ('UPLOADING', 'PROCESSING', 'READY', 'REJECTED')),
  file_name text NOT NULL CHECK (file_name <> ''),
  -- What the client declares; after the upload, what the content tells.
  content_type text NOT NULL,
  -- Bytes of the upload.
  size bigint NOT NULL CHECK (size > 0),
  -- Bytes that count for the quota: of an image, those of all its sizes.
  stored_bytes bigint NOT NULL CHECK (stored_bytes >= 0),
  -- The folder of its contents, below the merchant's public and private ones. It is random, because everybody who has
  -- an image's URL may see it.
  token text NOT NULL CHECK (token ~ '^[0-9a-f]{32}$'),
  -- Of an image that is READY, as shoppers' browsers reach it.
  url text,
  width integer,
  height integer,
  -- Why it is REJECTED.
  rejection text,
  -- Until then its upload URL works.
  upload_expires_at timestamptz NOT NULL,
  -- Since when nothing shows the image, if nothing does.
  released_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- When a worker may begin (again) to make its sizes.
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT file_url_of_ready_image
    CHECK ((status = 'READY' AND purpose = 'IMAGE') = (url IS NOT NULL AND width IS NOT NULL AND height IS NOT NULL)),
  CONSTRAINT file_rejection_has_reason CHECK ((status = 'REJECTED') = (rejection IS NOT NULL))
);
CREATE INDEX file_created_at ON files.file (merchant_id, created_at, id);
CREATE INDEX file_updated_at ON files.file (merchant_id, updated_at, id);
CREATE INDEX file_name ON files.file (merchant_id, file_name, id);
CREATE UNIQUE INDEX file_url ON files.file (merchant_id, url) WHERE url IS NOT NULL;
CREATE INDEX file_processing ON files.file (next_attempt_at) WHERE status = 'PROCESSING';
CREATE INDEX file_unfinished ON files.file (upload_expires_at) WHERE status IN ('UPLOADING', 'REJECTED');
CREATE INDEX file_released ON files.file (released_at) WHERE status = 'READY' AND purpose = 'IMAGE';

-- The sizes of an image, smallest first.
CREATE TABLE files.image_size (
  merchant_id uuid NOT NULL,
  file_id uuid NOT NULL,
  width integer NOT NULL CHECK (width > 0),
  height integer NOT NULL CHECK (height > 0),
  url text NOT NULL,
  PRIMARY KEY (merchant_id, file_id, width),
  FOREIGN KEY (merchant_id, file_id) REFERENCES files.file
    ON DELETE CASCADE
);

-- The bytes of a merchant's files together, kept by triggers. Whoever adds a file holds its row, so the quota holds.
CREATE TABLE files.usage (
  merchant_id uuid NOT NULL PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  bytes bigint NOT NULL DEFAULT 0
);

-- Folders of deleted files, until the storage has none of their contents any more.
CREATE TABLE files.deleted_folder (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  token text NOT NULL,
  -- Not before the upload URL has expired, which would store the file again.
  due_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, token)
);
CREATE INDEX deleted_folder_due_at ON files.deleted_folder (due_at);

-- Where clients reach the files of this platform: what the URLs of images begin with. It has one row.
CREATE TABLE files.own_url (
  only_row boolean NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row),
  url text NOT NULL
);

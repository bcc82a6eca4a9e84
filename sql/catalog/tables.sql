CREATE SCHEMA catalog;

CREATE TABLE catalog.product (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  sku text NOT NULL CHECK (sku <> ''),
  -- Money is minor units and stays below 2^53, the largest integer that JSON clients hold exactly.
  price bigint NOT NULL CHECK (price > 0 AND price < 9007199254740992),
  -- From which to which price it is sold: its variants' where it has some, else its own. What filters and PRICE go by;
  -- kept by triggers.
  lowest_price bigint NOT NULL,
  highest_price bigint NOT NULL,
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  compare_at_price bigint CHECK (compare_at_price > 0 AND compare_at_price < 9007199254740992),
  cost_per_item bigint CHECK (cost_per_item >= 0 AND cost_per_item < 9007199254740992),
  status text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'ACTIVE', 'ARCHIVED')),
  featured boolean NOT NULL DEFAULT FALSE,
  slug text NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  seo_title text,
  seo_description text,
  -- The variants' SKUs, a line each; kept by trigger.
  variant_skus text NOT NULL DEFAULT '',
  -- The text that searchQuery looks through. It is one column: for a text in any of several, Postgres expects too
  -- many matches to use an index.
  search_text text NOT NULL GENERATED ALWAYS AS (
    name || E'\n' || sku || E'\n' || variant_skus || E'\n' || coalesce(description, '')
  ) STORED,
  -- Units ever ordered; what POPULARITY sorts by. Kept by the ordering domain.
  popularity bigint NOT NULL DEFAULT 0,
  -- Whether any unit of it can be bought: whether an item of it is in stock. Kept by the inventory domain.
  in_stock boolean NOT NULL DEFAULT FALSE,
  -- Orders point at their products forever, so a deleted product stays as a row that no list shows.
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT product_slug_key UNIQUE (merchant_id, slug)
);
CREATE UNIQUE INDEX product_external_id_key ON catalog.product (merchant_id, external_id)
WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX product_metadata ON catalog.product USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);
CREATE UNIQUE INDEX product_sku_key ON catalog.product (merchant_id, sku) WHERE deleted_at IS NULL;
CREATE INDEX product_created_at ON catalog.product (merchant_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX product_status_created_at ON catalog.product (merchant_id, status, created_at, id)
WHERE deleted_at IS NULL;
CREATE INDEX product_in_stock ON catalog.product (merchant_id, in_stock, created_at, id) WHERE deleted_at IS NULL;
-- Postgres counts products from it alone, for shoppers, too: it has the columns that permissions ask for. Its keys are
-- the same for many rows, which a B-tree keeps as one key with a list: 7 bytes of index for each product.
CREATE INDEX product_counted ON catalog.product (merchant_id, in_stock, status, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX product_updated_at ON catalog.product (merchant_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX product_name ON catalog.product (merchant_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX product_price ON catalog.product (merchant_id, lowest_price, id) WHERE deleted_at IS NULL;
CREATE INDEX product_popularity ON catalog.product (merchant_id, popularity, id) WHERE deleted_at IS NULL;
CREATE INDEX product_tags ON catalog.product USING gin (tags);
CREATE INDEX product_search ON catalog.product USING gin (merchant_id, search_text gin_trgm_ops)
WITH (gin_pending_list_limit = 256);

CREATE TABLE catalog.product_image (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  url text NOT NULL CHECK (url ~ '^https?://'),
  alt text,
  width integer CHECK (width BETWEEN 1 AND 100000),
  height integer CHECK (height BETWEEN 1 AND 100000),
  position integer NOT NULL DEFAULT 0,
  -- An uploaded image, which gives the row its URL, width and height; NULL: the picture is elsewhere.
  file_id uuid,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  CONSTRAINT product_image_file_fkey FOREIGN KEY (merchant_id, file_id) REFERENCES files.file
);
CREATE INDEX product_image_file ON catalog.product_image (merchant_id, file_id) WHERE file_id IS NOT NULL;
CREATE INDEX product_image_product ON catalog.product_image (merchant_id, product_id, position, id);

CREATE TABLE catalog.product_variant (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  sku text NOT NULL CHECK (sku <> ''),
  -- NULL: the product's own price.
  price bigint CHECK (price > 0 AND price < 9007199254740992),
  compare_at_price bigint CHECK (compare_at_price > 0 AND compare_at_price < 9007199254740992),
  position integer NOT NULL DEFAULT 0,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- Cart and order lines reference it: a variant of that very product.
  CONSTRAINT product_variant_of_product_key UNIQUE (merchant_id, product_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX product_variant_external_id_key ON catalog.product_variant (merchant_id, external_id)
WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX product_variant_sku_key ON catalog.product_variant (merchant_id, sku) WHERE deleted_at IS NULL;
CREATE INDEX product_variant_created_at ON catalog.product_variant (merchant_id, created_at, id)
WHERE deleted_at IS NULL;
CREATE INDEX product_variant_updated_at ON catalog.product_variant (merchant_id, updated_at, id)
WHERE deleted_at IS NULL;

CREATE TABLE catalog.variant_option (
  merchant_id uuid NOT NULL,
  variant_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  value text NOT NULL CHECK (value <> ''),
  position integer NOT NULL DEFAULT 0,
  PRIMARY KEY (merchant_id, variant_id, name),
  FOREIGN KEY (merchant_id, variant_id) REFERENCES catalog.product_variant
    ON DELETE CASCADE
);

CREATE TABLE catalog.category (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  parent_id uuid,
  name text NOT NULL CHECK (name <> ''),
  slug text NOT NULL,
  description text,
  image_url text CHECK (image_url ~ '^https?://'),
  image_alt text,
  -- An uploaded image, which gives the row its URL; NULL: the picture is elsewhere.
  image_file_id uuid,
  -- 0 for a root; kept by trigger.
  level integer NOT NULL DEFAULT 0,
  position integer NOT NULL DEFAULT 0,
  seo_title text,
  seo_description text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT category_slug_key UNIQUE (merchant_id, slug),
  CONSTRAINT category_parent_fkey FOREIGN KEY (merchant_id, parent_id) REFERENCES catalog.category,
  CONSTRAINT category_image_file_fkey FOREIGN KEY (merchant_id, image_file_id) REFERENCES files.file
);
CREATE INDEX category_image_file ON catalog.category (merchant_id, image_file_id) WHERE image_file_id IS NOT NULL;
CREATE UNIQUE INDEX category_external_id_key ON catalog.category (merchant_id, external_id)
WHERE external_id IS NOT NULL;
CREATE INDEX category_metadata ON catalog.category USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);
CREATE INDEX category_parent ON catalog.category (merchant_id, parent_id, position, id);
CREATE INDEX category_name ON catalog.category (merchant_id, name, id);

CREATE TABLE catalog.product_category (
  merchant_id uuid NOT NULL,
  product_id uuid NOT NULL,
  category_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, product_id, category_id),
  CONSTRAINT product_category_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT product_category_category_fkey
    FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category
      ON DELETE CASCADE
);

CREATE TABLE catalog.review (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  customer_id uuid,
  author_name text NOT NULL CHECK (author_name <> ''),
  rating integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
  title text,
  body text,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  verified_purchase boolean NOT NULL DEFAULT FALSE,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id)
);
CREATE INDEX review_product ON catalog.review (merchant_id, product_id, created_at, id);

CREATE TABLE catalog.category_product (
  merchant_id uuid NOT NULL,
  category_id uuid NOT NULL,
  product_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, category_id, product_id),
  CONSTRAINT category_product_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT category_product_category_fkey
    FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category
      ON DELETE CASCADE
);
CREATE INDEX category_product_created_at ON catalog.category_product (merchant_id, category_id, created_at, product_id);
CREATE INDEX category_product_product ON catalog.category_product (merchant_id, product_id);
CREATE INDEX product_category_category ON catalog.product_category (merchant_id, category_id);
CREATE INDEX review_created_at ON catalog.review (merchant_id, created_at, id);
CREATE INDEX review_status_created_at ON catalog.review (merchant_id, status, created_at, id);
CREATE INDEX category_updated_at ON catalog.category (merchant_id, updated_at, id);
CREATE INDEX review_updated_at ON catalog.review (merchant_id, updated_at, id);

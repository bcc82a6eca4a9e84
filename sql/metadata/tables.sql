CREATE SCHEMA metadata;

-- What a merchant says of the values of a key.
CREATE TABLE metadata.definition (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- LINE: a line of a cart, which becomes a line of an order with its metadata.
  owner_type text NOT NULL CHECK (
    owner_type IN (
      'PRODUCT',
      'PRODUCT_VARIANT',
      'CATEGORY',
      'CUSTOMER',
      'ORDER',
      'CART',
      'LINE',
      'WAREHOUSE',
      'APPOINTMENT'
    )
  ),
  -- Of private metadata; a key of the same name may be in both.
  private boolean NOT NULL DEFAULT FALSE,
  namespace text NOT NULL CHECK (namespace ~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$'),
  key text NOT NULL CHECK (key ~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$'),
  type text NOT NULL CHECK (
    type IN ('TEXT', 'INTEGER', 'DECIMAL', 'BOOLEAN', 'DATE', 'DATE_TIME', 'URL', 'JSON', 'LIST_OF_TEXT')
  ),
  name text NOT NULL CHECK (name <> ''),
  description text,
  -- The texts that a value or an entry may be; NULL: any.
  choices text[] CHECK (cardinality(choices) BETWEEN 1 AND 200),
  -- Of numbers the value, of texts the characters, of lists the entries.
  min numeric,
  max numeric,
  is_attribute boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT definition_key UNIQUE (merchant_id, owner_type, private, namespace, key),
  CONSTRAINT definition_choices_of_texts CHECK (choices IS NULL OR type IN ('TEXT', 'LIST_OF_TEXT')),
  CONSTRAINT definition_measured
    CHECK ((min IS NULL AND max IS NULL) OR type IN ('TEXT', 'INTEGER', 'DECIMAL', 'LIST_OF_TEXT')),
  CONSTRAINT definition_range CHECK (min <= max),
  CONSTRAINT definition_attribute
    CHECK (NOT is_attribute OR (owner_type IN ('PRODUCT', 'PRODUCT_VARIANT') AND NOT private AND type <> 'JSON'))
);
CREATE INDEX definition_created_at ON metadata.definition (merchant_id, created_at, id);
CREATE INDEX definition_updated_at ON metadata.definition (merchant_id, updated_at, id);
CREATE INDEX definition_name ON metadata.definition (merchant_id, name, id);

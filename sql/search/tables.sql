CREATE SCHEMA search;

CREATE TABLE search.article (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  slug text NOT NULL,
  excerpt text,
  body text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'PUBLISHED')),
  tags text[] NOT NULL DEFAULT '{}',
  seo_title text,
  seo_description text,
  -- When it was first published; kept by trigger.
  published_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT article_slug_key UNIQUE (merchant_id, slug)
);
CREATE INDEX article_created_at ON search.article (merchant_id, created_at, id);
CREATE INDEX article_updated_at ON search.article (merchant_id, updated_at, id);
CREATE INDEX article_name ON search.article (merchant_id, name, id);

CREATE TABLE search.document (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid,
  category_id uuid,
  article_id uuid,
  -- The title as it is compared (search.normalized), and as it is shown.
  title text NOT NULL,
  shown_title text NOT NULL,
  -- Whether a shopper may find it.
  public boolean NOT NULL,
  -- The words and their stems, with the weight of where they stand: A the title, B SKUs and tags, C excerpts and
  -- categories' descriptions, D the rest.
  words tsvector NOT NULL,
  -- The language of the stems (platform.language).
  stemmer text NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT document_of_one_record CHECK (num_nonnulls(product_id, category_id, article_id) = 1),
  CONSTRAINT document_product_key UNIQUE (merchant_id, product_id),
  CONSTRAINT document_category_key UNIQUE (merchant_id, category_id),
  CONSTRAINT document_article_key UNIQUE (merchant_id, article_id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, article_id) REFERENCES search.article
    ON DELETE CASCADE
);
CREATE INDEX document_words ON search.document USING gin (merchant_id, words);
CREATE INDEX document_stemmer ON search.document (merchant_id, stemmer);
CREATE INDEX document_title ON search.document (merchant_id, title text_pattern_ops);

CREATE TABLE search.word (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  word text NOT NULL,
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX word_prefix ON search.word (merchant_id, word text_pattern_ops);
CREATE INDEX word_similarity ON search.word USING gin (merchant_id, word gin_trgm_ops);

CREATE TABLE search.changed_language (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE
);

CREATE TABLE search.hit (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  product_id uuid,
  category_id uuid,
  article_id uuid,
  -- The higher the better: a title that is what was typed, one that begins with it, and then by how much and where the
  -- words stand.
  rank real NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT hit_is_never_stored CHECK (FALSE)
);

CREATE TABLE search.facet (
  merchant_id uuid NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  label text NOT NULL,
  count integer NOT NULL,
  -- Of a range of prices.
  min bigint,
  max bigint,
  PRIMARY KEY (merchant_id, name, value),
  CONSTRAINT facet_is_never_stored CHECK (FALSE)
);

CREATE TABLE search.suggestion (
  merchant_id uuid NOT NULL,
  text text NOT NULL,
  type text NOT NULL,
  rank real NOT NULL,
  PRIMARY KEY (merchant_id, text),
  CONSTRAINT suggestion_is_never_stored CHECK (FALSE)
);

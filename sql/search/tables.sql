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
  -- The words of the title alone.
  title_words tsvector NOT NULL,
  -- Of the record: what results are sorted by.
  created_at timestamptz NOT NULL,
  -- Of a product, what results are filtered and counted by. A row in search.stale_product means that in_stock and
  -- popularity may be old.
  status text,
  lowest_price bigint,
  highest_price bigint,
  popularity bigint,
  in_stock boolean,
  -- Its tags, categories, variants' options and attributes (search.facet_key).
  facet_keys bigint[] NOT NULL DEFAULT '{}',
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
-- Filters and counts read many rows, and only ranking reads the words. They stay out of rows of more than 2 kB; out of
-- shorter ones Postgres moves nothing.
ALTER TABLE search.document ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE search.document ALTER COLUMN title_words SET STORAGE MAIN;
ALTER TABLE search.document ALTER COLUMN facet_keys SET STORAGE MAIN;
ALTER TABLE search.document ALTER COLUMN title SET STORAGE MAIN;
ALTER TABLE search.document ALTER COLUMN shown_title SET STORAGE MAIN;
ALTER TABLE search.document SET (toast_tuple_target = 128);
CREATE INDEX document_words ON search.document USING gin (merchant_id, words, title_words, facet_keys);
CREATE INDEX document_created_at ON search.document (merchant_id, created_at, id);
CREATE INDEX document_name ON search.document (merchant_id, shown_title, id);
CREATE INDEX document_price ON search.document (merchant_id, lowest_price, id) WHERE product_id IS NOT NULL;
CREATE INDEX document_popularity ON search.document (merchant_id, popularity, id) WHERE product_id IS NOT NULL;
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

-- What a merchant's settings say of the words of queries, as queries read it; kept by trigger. Texts of one line have
-- one meaning.
CREATE TABLE search.synonym (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  line integer NOT NULL,
  -- The words of the text, and their stems.
  words text[] NOT NULL,
  stems text[] NOT NULL,
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX synonym_stems ON search.synonym (merchant_id, stems);
CREATE INDEX synonym_line ON search.synonym (merchant_id, line);

CREATE TABLE search.stop_word (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  word text NOT NULL,
  PRIMARY KEY (merchant_id, word)
);

CREATE TABLE search.changed_language (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  -- All older transactions must have ended before it is forgotten; NULL until a job has found no document of before.
  waits_for xid8
);

-- A change of a merchant's attributes that its documents' keys don't have yet.
CREATE TABLE search.changed_attributes (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- All older transactions must have ended; NULL until a job has seen the change.
  waits_for xid8,
  -- The last product whose document is written.
  after_product_id uuid,
  -- The last product of when those transactions had ended: newer ones were written with the change in view.
  last_product_id uuid,
  PRIMARY KEY (merchant_id, id)
);

-- What a document's facet_keys stand for. Writers never wait for each other here, so a key may occur twice.
CREATE TABLE search.facet_value (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  key bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('TAG', 'CATEGORY', 'OPTION', 'ATTRIBUTE')),
  -- The option's name, or the attribute's namespace and key with a dot between them; empty for others.
  name text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX facet_value_key ON search.facet_value (merchant_id, key);
CREATE INDEX facet_value_attribute ON search.facet_value (merchant_id, name) WHERE kind = 'ATTRIBUTE';

-- Products whose stock appeared or ended, or of which units were ordered, since a job wrote their documents. Writers
-- only add rows: an order never waits for search.
CREATE TABLE search.stale_product (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

-- What search.tally counts, of merchants with so many documents that counting them takes too long for a request: all
-- documents and those of each category (scope 0), and those that each of the commonest words finds.
CREATE TABLE search.tallied_scope (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  -- Of a word, its key (search.facet_key).
  scope bigint NOT NULL DEFAULT 0,
  -- What a request with the word alone asks for (search.words_query); NULL of scope 0.
  words tsquery,
  -- All older transactions must have ended, because they may not have noted their changes; NULL until a job has seen
  -- the row.
  waits_for xid8,
  -- The last document that is counted, while a job counts them in the order of their ids.
  after_document_id uuid,
  counted boolean NOT NULL DEFAULT FALSE,
  -- Of scope 0: when the merchant's common words were last looked for.
  words_chosen_at timestamptz,
  PRIMARY KEY (merchant_id, scope),
  CONSTRAINT tallied_scope_of_words CHECK ((words IS NULL) = (scope = 0))
);

-- How many documents have a value, of all, of each category and of each common word. Kept by a job: the changes that it
-- hasn't taken up yet are in search.tally_change.
CREATE TABLE search.tally (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  -- The category's key, or the word's (search.facet_key); 0 for all documents.
  scope bigint NOT NULL,
  public boolean NOT NULL,
  -- What is counted, and its value as a number (search.tallied_values).
  kind text NOT NULL,
  value bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (merchant_id, scope, public, kind, value)
)
WITH (fillfactor = 70);

-- A document that came (1) or went (-1), as it was counted; both for one that has changed. Writers only add rows, so
-- they never wait for each other.
CREATE TABLE search.tally_change (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  document_id uuid NOT NULL,
  sign integer NOT NULL CHECK (sign IN (-1, 1)),
  type text NOT NULL,
  public boolean NOT NULL,
  status text,
  lowest_price bigint,
  highest_price bigint,
  in_stock boolean,
  facet_keys bigint[] NOT NULL,
  -- The scopes of the common words that find it.
  word_scopes bigint[] NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE search.hit (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  product_id uuid,
  category_id uuid,
  article_id uuid,
  -- Its place among the results, from 1; after a cursor, among those after it.
  position integer NOT NULL,
  -- What the results are sorted by, and its value as text, with which a cursor goes on.
  sort_by text NOT NULL,
  sort_value text,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT hit_is_never_stored CHECK (FALSE)
);

-- One row.
CREATE TABLE search.total (
  merchant_id uuid PRIMARY KEY,
  count integer NOT NULL,
  CONSTRAINT total_is_never_stored CHECK (FALSE)
);

CREATE TABLE search.facet (
  merchant_id uuid NOT NULL,
  name text NOT NULL,
  -- NULL for all but options.
  option_name text,
  -- NULL for all but attributes.
  namespace text,
  key text,
  attribute_name text,
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

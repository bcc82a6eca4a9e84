CREATE TYPE search.scope AS (merchant_id uuid, public_only boolean, products boolean, articles boolean);

CREATE TYPE search.key_group AS (name text, keys bigint[]);

CREATE TYPE search.request AS (
  scope search.scope,
  -- The text as a title is compared, and its words; both NULL without a text.
  title text,
  words tsquery,
  types text[],
  products_only boolean,
  -- All of these, and one of each group.
  keys bigint[],
  groups search.key_group[],
  price_min bigint,
  price_max bigint,
  in_stock boolean,
  status text
);

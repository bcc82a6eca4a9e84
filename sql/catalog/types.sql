CREATE TYPE catalog.sellable_line AS (
  -- Where the line stands in the request, from 0; of merged lines the first.
  "position" integer,
  product_id uuid,
  variant_id uuid,
  -- The sum of merged lines, which may be more than a line can hold.
  quantity bigint,
  -- Why it can't be sold: unknown_product, product_not_active, variant_required, unknown_variant, quantity_too_large,
  -- currency_mismatch. NULL: it can.
  refusal text,
  stock_item_id uuid,
  sku text,
  price bigint,
  currency text,
  name text,
  image text,
  properties jsonb,
  -- What tells lines of one product apart.
  line_key text,
  -- What the merchant keeps with the line, if that was given: externalId, metadata, privateMetadata.
  kept jsonb
);

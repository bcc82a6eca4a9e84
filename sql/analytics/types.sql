-- What was sold of a product, in one currency; amounts are minor units.
CREATE TYPE analytics.sold_amounts AS (
  orders bigint,
  units bigint,
  gross bigint,
  discount bigint,
  uncaptured bigint,
  tax bigint
);

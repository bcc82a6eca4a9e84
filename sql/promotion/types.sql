CREATE TYPE promotion.purchase AS (
  merchant_id uuid,
  -- NULL: a guest.
  customer_id uuid,
  currency text,
  -- The order that is changed; NULL: there is none yet.
  order_id uuid,
  -- One entry for each line; NULL: no lines.
  product_ids uuid[],
  subtotals bigint[],
  shipping bigint
);

CREATE TYPE promotion.discount AS (
  -- coupon_minimum_not_met, coupon_not_for_products; NULL: it applies.
  refusal text,
  -- The discount on each line, in the order given, and on shipping; NULL if it is refused.
  lines bigint[],
  shipping bigint
);

CREATE TYPE promotion.choice AS (
  -- Why the purchase's own promotion takes nothing off, as use_refusal and discount have it; NULL: it could, or there
  -- is none.
  own_refusal text,
  -- The promotion that applies, and what it takes off as promotion.discount has it; NULL: none does.
  promotion_id uuid,
  promotion_name text,
  lines bigint[],
  shipping bigint
);

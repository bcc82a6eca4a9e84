CREATE TYPE ordering.pricing AS (
  -- Why the coupon takes nothing off these lines, as promotion.choice has it; NULL: it could, or there is none.
  coupon_refusal text,
  -- The promotion that takes the discount off; NULL without one.
  promotion_id uuid,
  promotion_name text,
  subtotal bigint,
  tax bigint,
  discount bigint,
  shipping_discount bigint,
  total bigint,
  -- One entry for each line, in the order given.
  line_discounts bigint[],
  line_taxes bigint[]
);

CREATE TYPE ordering.refund_part AS (
  order_item_id uuid,
  quantity integer,
  -- What was paid for these units.
  amount bigint,
  -- Of the units, those that were never sent, and those that were.
  unsent integer,
  sent integer,
  -- NULL: what was never sent is for sale again, what was sent is not.
  restock boolean
);

CREATE TYPE ordering.stock_units AS (stock_item_ids uuid[], quantities integer[]);

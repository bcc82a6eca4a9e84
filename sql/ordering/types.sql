-- type ordering.refusal =
--   catalog.line_refusal | promotion.coupon_refusal | {
--   field: text,
--   reason: 'unknown_customer' | 'customer_blocked' | 'customer_required' | 'not_the_carts_customer'
--   | 'unknown_shipping_method' | 'shipping_method_not_for_country' | 'shipping_method_currency'
--   | 'reservation_not_active' | 'too_many_unpaid_orders' | 'too_many_unpaid_units' | 'unknown_item' | 'no_lines_left'
--   | 'nothing_left' | 'more_than_left' | 'more_than_sent' | 'more_than_returned' | 'nothing_paid' | 'more_than_paid'
--   | 'not_restockable' | 'unknown_warehouse' | 'address_required' | 'other_total' | 'missing',
--   currency?: text | null,
--   left?: integer | null,
--   total?: bigint | null
--   }
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
  -- The amount paid for these units.
  amount bigint,
  -- Of the units, those that were never sent, and those that were.
  unsent integer,
  sent integer,
  -- NULL: what was never sent is for sale again, what was sent is not.
  restock boolean
);

CREATE TYPE ordering.stock_units AS (stock_item_ids uuid[], quantities integer[]);

-- An order that is checked and priced, and not written yet.
CREATE TYPE ordering.placement AS (
  -- What was asked for, as ordering.prepare has it.
  request jsonb,
  -- Why it can't be placed, as ordering.refusal has it; [] if it can.
  refusals jsonb,
  -- What is missing of its lines, as ordering.shortage has it; NULL: nothing.
  shortages jsonb,
  order_id uuid,
  currency text,
  lines catalog.sellable_line[],
  pricing ordering.pricing,
  shipping bigint,
  -- The coupon that takes something off.
  coupon_code text
);

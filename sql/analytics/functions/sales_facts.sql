CREATE FUNCTION analytics.sales_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (
  at timestamptz,
  currency text,
  status text,
  placed bigint,
  cancelled bigint,
  orders bigint,
  units bigint,
  gross bigint,
  discount bigint,
  uncaptured bigint,
  shipping bigint,
  tax bigint,
  total bigint,
  refunds bigint,
  refunded bigint
)
LANGUAGE sql
STABLE
AS $$
  SELECT
    o.created_at,
    o.currency,
    o.status,
    1::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.created_at >= p_from AND o.created_at < p_to
  UNION ALL
  SELECT o.cancelled_at, o.currency, o.status, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.cancelled_at >= p_from AND o.cancelled_at < p_to
  UNION ALL
  SELECT
    o.paid_at,
    o.currency,
    o.status,
    0,
    0,
    1,
    l.units,
    o.subtotal,
    o.discount - o.shipping_discount,
    l.uncaptured,
    o.shipping - o.shipping_discount - o.uncaptured_shipping,
    o.tax - l.uncaptured_tax,
    o.total - o.uncaptured,
    0,
    0
  FROM
    ordering.order o
    CROSS JOIN LATERAL (
      SELECT
        sum(i.quantity) AS units,
        sum(i.uncaptured)::bigint AS uncaptured,
        sum(i.uncaptured_tax)::bigint AS uncaptured_tax
      FROM ordering.order_item i
      WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
    ) l
  WHERE o.merchant_id = p_merchant_id AND o.paid_at >= p_from AND o.paid_at < p_to
  UNION ALL
  SELECT r.succeeded_at, p.currency, o.status, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, r.amount
  FROM
    payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
    JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
  WHERE
    r.merchant_id = p_merchant_id
    AND r.succeeded_at >= p_from
    AND r.succeeded_at < p_to
    AND r.status = 'SUCCEEDED'
    -- A refund from before the order was paid, or of one that never was, is no part of a sale.
    AND o.paid_at IS NOT NULL
    AND NOT r.before_paid;
$$;

CREATE VIEW analytics.product_sales AS
  SELECT p.merchant_id, p.id AS product_id, s.total_sold, s.conversions, s.revenue
  FROM
    catalog.product p
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(i.quantity), 0)::integer AS total_sold,
        count(DISTINCT i.order_id)::integer AS conversions,
        coalesce(
          sum(i.subtotal - i.discount - i.uncaptured) FILTER (WHERE o.currency = p.currency),
          0
        )::bigint AS revenue
      FROM
        ordering.order_item i
        JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
      WHERE i.merchant_id = p.merchant_id AND i.product_id = p.id AND o.paid_at IS NOT NULL
    ) s;

CREATE VIEW analytics.product_analytics AS
  SELECT
    s.merchant_id,
    s.product_id,
    s.conversions,
    s.revenue,
    (
      SELECT coalesce(sum(v.views), 0)
      FROM analytics.product_view v
      WHERE v.merchant_id = s.merchant_id AND v.product_id = s.product_id
    )::bigint AS views
  FROM analytics.product_sales s;

CREATE VIEW analytics.report_row AS
  SELECT
    NULL::uuid AS merchant_id,
    NULL::integer AS number,
    NULL::timestamptz AS start_time,
    NULL::timestamptz AS end_time,
    NULL::text AS metric,
    NULL::text AS currency,
    NULL::text AS order_status,
    NULL::uuid AS product_id,
    NULL::uuid AS category_id,
    NULL::bigint AS value,
    NULL::bigint AS previous_value,
    -- Of the group: 1 is the largest. 1 without groups.
    NULL::integer AS group_rank
  WHERE FALSE;

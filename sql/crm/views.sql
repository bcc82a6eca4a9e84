CREATE VIEW crm.customer_spending AS
  SELECT
    o.merchant_id,
    o.customer_id,
    o.currency,
    coalesce(
      sum(
        coalesce(
          p.kept,
          CASE
            WHEN o.status NOT IN ('CANCELLED', 'REFUNDED') THEN o.total
          END
        )
      ),
      0
    )::bigint AS amount,
    count(*) FILTER (WHERE o.status <> 'CANCELLED')::integer AS order_count,
    max(o.created_at) FILTER (WHERE o.status <> 'CANCELLED') AS last_order_date
  FROM
    ordering.order o
    LEFT JOIN LATERAL (
      SELECT sum(x.captured_amount - x.refunded_amount) AS kept
      FROM payment.payment x
      WHERE x.merchant_id = o.merchant_id AND x.order_id = o.id AND x.captured_amount > 0
    ) p
      ON TRUE
  WHERE o.status <> 'PENDING'
  GROUP BY o.merchant_id, o.customer_id, o.currency
  HAVING bool_or(o.status <> 'CANCELLED') OR sum(p.kept) > 0;

CREATE VIEW crm.customer_total AS
  SELECT
    c.merchant_id,
    c.id AS customer_id,
    s.total_spent,
    s.order_count,
    CASE
      WHEN s.orders_in_currency = 0 THEN 0
      ELSE round(s.total_spent::numeric / s.orders_in_currency)::bigint
    END AS average_order_value,
    s.last_order_date
  FROM
    crm.customer c
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(x.amount) FILTER (WHERE x.currency = m.currency), 0)::bigint AS total_spent,
        coalesce(sum(x.order_count) FILTER (WHERE x.currency = m.currency), 0) AS orders_in_currency,
        coalesce(sum(x.order_count), 0)::integer AS order_count,
        max(x.last_order_date) AS last_order_date
      FROM
        crm.customer_spending x
        LEFT JOIN merchant.settings m ON m.merchant_id = x.merchant_id
      WHERE x.merchant_id = c.merchant_id AND x.customer_id = c.id
    ) s;

CREATE VIEW crm.customer_loyalty AS
  SELECT
    c.merchant_id,
    c.id AS customer_id,
    coalesce(a.points, 0) AS points,
    coalesce(a.points_earned, 0) AS points_earned,
    t.id AS tier_id,
    t.name AS tier_name
  FROM
    crm.customer c
    LEFT JOIN crm.loyalty_account a ON a.merchant_id = c.merchant_id AND a.customer_id = c.id
    LEFT JOIN LATERAL (
      SELECT x.id, x.name
      FROM crm.loyalty_tier x
      WHERE
        x.merchant_id = c.merchant_id
        AND x.threshold <= (
          SELECT
            CASE g.tier_basis
              WHEN 'POINTS_EARNED' THEN coalesce(a.points_earned, 0)
              WHEN 'TOTAL_SPENT' THEN (
                SELECT s.total_spent
                FROM crm.customer_total s
                WHERE s.merchant_id = c.merchant_id AND s.customer_id = c.id
              )
            END
          FROM crm.loyalty_program g
          WHERE g.merchant_id = c.merchant_id
        )
      ORDER BY x.threshold DESC
      LIMIT 1
    ) t
      ON TRUE;

CREATE VIEW crm.segment_member AS
  SELECT s.merchant_id, s.id AS segment_id, m.customer_id
  FROM
    crm.segment s
    CROSS JOIN LATERAL crm.customers_in(s) m;

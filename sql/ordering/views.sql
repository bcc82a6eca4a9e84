CREATE VIEW ordering.draft_order_total AS
  SELECT
    d.merchant_id,
    d.id AS draft_order_id,
    CASE
      WHEN d.order_id IS NOT NULL THEN 'COMPLETED'
      WHEN d.expires_at <= now() THEN 'EXPIRED'
      ELSE 'OPEN'
    END AS status,
    coalesce(o.subtotal, q.subtotal) AS subtotal,
    coalesce(o.tax, q.tax) AS tax,
    coalesce(o.shipping, q.total - q.subtotal - q.tax + q.discount) AS shipping,
    CASE
      WHEN o.id IS NULL THEN q.promotion_id
      ELSE o.promotion_id
    END AS promotion_id,
    CASE
      WHEN o.id IS NULL THEN q.promotion_name
      ELSE o.promotion_name
    END AS promotion_name,
    coalesce(o.discount, q.discount) AS discount,
    coalesce(o.total, q.total) AS total
  FROM
    ordering.draft_order d
    LEFT JOIN ordering.order o ON o.merchant_id = d.merchant_id AND o.id = d.order_id
    LEFT JOIN LATERAL ordering.quote_draft(d) q ON d.order_id IS NULL;

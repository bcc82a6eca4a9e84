-- A dashboard of Alder & Pine's, and views of its products in the last weeks, more for popular products.

INSERT INTO analytics.dashboard (merchant_id, id, name, description)
VALUES ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0027-7000-8000-000000000001', 'The shop', 'What Monday morning wants to know')
ON CONFLICT DO NOTHING;

INSERT INTO analytics.widget
  (merchant_id, id, dashboard_id, position, title, metrics, last_days, interval, group_by, group_limit, compare)
SELECT
  '01a1f000-0001-7000-8000-000000000001'::uuid, ('01a1f000-0028-7000-8000-00000000000' || w.position + 1)::uuid,
  '01a1f000-0027-7000-8000-000000000001'::uuid, w.position, w.title, w.metrics::text[], w.last_days, w.interval, w.group_by, 5, w.compare
FROM (VALUES
  (0, 'The last four weeks', '{TOTAL_SALES,ORDERS,AVERAGE_ORDER_VALUE,REFUNDED}', 28, NULL, NULL, true),
  (1, 'Revenue by day', '{REVENUE}', 28, 'DAY', NULL, false),
  (2, 'What sells', '{REVENUE,UNITS,VIEWS}', 60, NULL, 'PRODUCT', false),
  (3, 'Who buys', '{NEW_CUSTOMERS,RETURNING_CUSTOMERS}', 60, 'WEEK', NULL, false)
) AS w (position, title, metrics, last_days, interval, group_by, compare)
ON CONFLICT DO NOTHING;

INSERT INTO analytics.product_view (merchant_id, bucket, product_id, views)
SELECT p.merchant_id, analytics.bucket_of(now() - make_interval(days => d, hours => (d * 7) % 24)), p.id, 1 + (p.popularity * 3 + d) % 9
FROM catalog.product p, generate_series(1, 28) AS d
WHERE p.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND p.status = 'ACTIVE' AND p.deleted_at IS NULL
  -- Only once, because the time decides the quarters of an hour and a second run would add others.
  AND NOT EXISTS (SELECT FROM analytics.product_view v WHERE v.merchant_id = p.merchant_id);

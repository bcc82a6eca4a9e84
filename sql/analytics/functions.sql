CREATE FUNCTION analytics.bucket_of(p_at timestamptz)
RETURNS timestamptz
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT date_bin('15 minutes', p_at, 'epoch');
$$;

CREATE FUNCTION analytics.product_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (
  at timestamptz,
  product_id uuid,
  currency text,
  orders bigint,
  units bigint,
  gross bigint,
  discount bigint,
  uncaptured bigint,
  tax bigint
)
LANGUAGE sql
STABLE
AS $$
  SELECT
    o.paid_at,
    i.product_id,
    o.currency,
    1::bigint,
    sum(i.quantity),
    sum(i.subtotal)::bigint,
    sum(i.discount)::bigint,
    sum(i.uncaptured)::bigint,
    sum(i.tax - i.uncaptured_tax)::bigint
  FROM
    ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE o.merchant_id = p_merchant_id AND o.paid_at >= p_from AND o.paid_at < p_to
  GROUP BY o.merchant_id, o.id, i.product_id;
$$;

CREATE FUNCTION analytics.stock_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (at timestamptz, product_id uuid, received bigint, removed bigint, moved bigint)
LANGUAGE sql
STABLE
AS $$
  SELECT
    m.created_at,
    m.product_id,
    greatest(s.delta, 0),
    greatest(-s.delta, 0),
    -- From one warehouse to another: nothing that comes or goes.
    CASE
      WHEN m.kind IN ('TRANSFER_IN', 'TRANSFER_OUT') THEN m.on_hand_delta
      ELSE 0
    END::bigint
  FROM
    inventory.stock_movement m
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN m.kind IN ('TRANSFER_IN', 'TRANSFER_OUT') THEN 0
          ELSE m.on_hand_delta
        END::bigint AS delta
    ) s
  WHERE m.merchant_id = p_merchant_id AND m.on_hand_delta <> 0 AND m.created_at >= p_from AND m.created_at < p_to;
$$;

CREATE FUNCTION analytics.mark_stale(p_merchant_id uuid, p_times timestamptz[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO analytics.stale_bucket (merchant_id, bucket)
  SELECT DISTINCT p_merchant_id, analytics.bucket_of(at)
  FROM unnest(p_times) AS at
  -- When a merchant is deleted, its orders go after it.
  WHERE at IS NOT NULL AND EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id);
$$;

-- Notes the customers of orders that were paid, for reports.
CREATE FUNCTION analytics.note_purchases(p_merchant_id uuid, p_order_ids uuid[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO analytics.first_purchase AS f (merchant_id, customer_id, paid_at)
  SELECT o.merchant_id, o.customer_id, min(o.paid_at)
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = ANY (p_order_ids) AND o.paid_at IS NOT NULL
  GROUP BY o.merchant_id, o.customer_id
  ORDER BY o.customer_id
  -- The row is locked also where it stays as it is: analytics.forget_purchase waits, and sees these orders.
  ON CONFLICT (merchant_id, customer_id) DO UPDATE SET paid_at = excluded.paid_at WHERE f.paid_at > excluded.paid_at;
$$;

-- After a paid order of the customer has gone, has got another customer, or was paid at another time.
CREATE FUNCTION analytics.forget_purchase(p_merchant_id uuid, p_customer_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_first timestamptz;
BEGIN
  -- A statement of its own: the next one sees the orders that others paid until it had the lock.
  PERFORM
  FROM analytics.first_purchase f
  WHERE f.merchant_id = p_merchant_id AND f.customer_id = p_customer_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT min(o.paid_at)
  INTO v_first
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = p_customer_id;
  IF v_first IS NULL THEN
    DELETE FROM analytics.first_purchase f WHERE f.merchant_id = p_merchant_id AND f.customer_id = p_customer_id;
  ELSE
    UPDATE analytics.first_purchase f
    SET paid_at = v_first
    WHERE f.merchant_id = p_merchant_id AND f.customer_id = p_customer_id AND f.paid_at <> v_first;
  END IF;
END;
$$;

-- answers: recorded {productId: uuid} | unknown_product {}
CREATE FUNCTION analytics.record_view(p_merchant_id uuid, p_product_id uuid, p_only_sold boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO analytics.product_view AS v (merchant_id, bucket, product_id, views)
  SELECT p.merchant_id, analytics.bucket_of(now()), p.id, 1
  FROM catalog.product p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id = p_product_id
    AND p.deleted_at IS NULL
    AND (p.status = 'ACTIVE' OR NOT p_only_sold)
  ON CONFLICT (merchant_id, bucket, product_id) DO UPDATE SET views = v.views + 1;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_product');
  END IF;
  RETURN jsonb_build_object('outcome', 'recorded', 'productId', p_product_id);
END;
$$;

CREATE FUNCTION analytics.groupings(p_metric text)
RETURNS text[]
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN p_metric IN (
        'UNITS',
        'GROSS_SALES',
        'DISCOUNTS',
        'REVENUE',
        'TAX'
      ) THEN '{CURRENCY,STATUS,PRODUCT,CATEGORY}'::text[]
      WHEN p_metric = 'ORDERS' THEN '{CURRENCY,STATUS,PRODUCT}'
      WHEN p_metric IN (
        'ORDERS_PLACED',
        'ORDERS_CANCELLED',
        'SHIPPING',
        'TOTAL_SALES',
        'AVERAGE_ORDER_VALUE',
        'REFUNDS',
        'REFUNDED'
      ) THEN '{CURRENCY,STATUS}'
      WHEN p_metric IN ('STOCK_RECEIVED', 'STOCK_REMOVED') THEN '{PRODUCT}'
      WHEN p_metric = 'VIEWS' THEN '{PRODUCT,CATEGORY}'
      WHEN p_metric IN ('CUSTOMERS', 'NEW_CUSTOMERS', 'RETURNING_CUSTOMERS', 'REGISTRATIONS', 'STOCK_LEVEL') THEN '{}'
    END;
$$;

CREATE FUNCTION analytics.is_money(p_metric text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    p_metric IN (
      'GROSS_SALES',
      'DISCOUNTS',
      'REVENUE',
      'TAX',
      'SHIPPING',
      'TOTAL_SALES',
      'AVERAGE_ORDER_VALUE',
      'REFUNDED'
    );
$$;

CREATE FUNCTION analytics.question_refusal(
  p_metrics text[],
  p_days integer,
  p_interval text,
  p_time_zone text,
  p_group_by text,
  p_group_limit integer
)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN coalesce(cardinality(p_metrics), 0) NOT BETWEEN 1 AND 10 THEN 'metrics'
      WHEN EXISTS (
        SELECT
        FROM unnest(p_metrics) m
        WHERE analytics.groupings(m) IS NULL OR p_group_by IS NOT NULL AND p_group_by <> ALL (analytics.groupings(m))
      ) THEN 'metrics'
      WHEN p_group_by NOT IN ('CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY') THEN 'groupBy'
      WHEN coalesce(p_days, 0) NOT BETWEEN 1 AND 3660 THEN 'days'
      WHEN p_interval NOT IN ('HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR') THEN 'interval'
      WHEN p_interval = 'HOUR'
      AND p_days > 31
      OR p_interval = 'DAY'
      AND p_days > 800 THEN 'interval'
      WHEN p_time_zone IS NOT NULL
      AND NOT platform.is_time_zone(p_time_zone) THEN 'timeZone'
      WHEN coalesce(p_group_limit, 0) NOT BETWEEN 1 AND 100 THEN 'groupLimit'
    END;
$$;

CREATE FUNCTION analytics.day_start(p_day date, p_time_zone text)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN ((t - INTERVAL '1 hour') AT TIME ZONE p_time_zone)::date = p_day THEN t - INTERVAL '1 hour'
      WHEN ((t - INTERVAL '30 minutes') AT TIME ZONE p_time_zone)::date = p_day THEN t - INTERVAL '30 minutes'
      ELSE t
    END
  FROM (SELECT p_day::timestamp AT TIME ZONE p_time_zone) AS midnight (t);
$$;

CREATE FUNCTION analytics.stale_spans(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (span_from timestamptz, span_to timestamptz)
LANGUAGE sql
STABLE
AS $$
  SELECT lower(span), upper(span)
  FROM
    (
      SELECT unnest(range_agg(tstzrange(s.bucket, s.bucket + INTERVAL '15 minutes'))) AS span
      FROM
        (
          SELECT DISTINCT s.bucket
          FROM analytics.stale_bucket s
          WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_from AND s.bucket < p_to
        ) s
    ) m;
$$;

-- p_product_ids: of groups of PRODUCT only these; NULL for all.
CREATE FUNCTION analytics.metrics_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text,
  p_product_ids uuid[] DEFAULT NULL
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_by_product boolean := coalesce(p_group_by IN ('PRODUCT', 'CATEGORY'), FALSE);
BEGIN
  IF NOT v_by_product THEN
    RETURN QUERY SELECT * FROM analytics.sales_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_currency);
  END IF;
  IF v_by_product OR 'VIEWS' = ANY (p_metrics) THEN
    RETURN QUERY SELECT *
      FROM analytics.products_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_currency, p_product_ids);
  END IF;
  IF p_metrics && '{STOCK_RECEIVED,STOCK_REMOVED,STOCK_LEVEL}' THEN
    RETURN QUERY SELECT *
      FROM analytics.stock_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_product_ids);
  END IF;
  IF p_metrics && '{CUSTOMERS,NEW_CUSTOMERS,RETURNING_CUSTOMERS,REGISTRATIONS}' THEN
    RETURN QUERY SELECT * FROM analytics.customers_by_interval(p_merchant_id, p_bounds, p_metrics, p_currency);
  END IF;
END;
$$;

-- What was sold of products in each bucket: from the roll-up, and from the orders where it waits for the job.
--
-- p_product_ids: only of these, which an index finds; NULL for all of the span.
CREATE FUNCTION analytics.products_sold(p_merchant_id uuid, p_from timestamptz, p_to timestamptz, p_product_ids uuid[])
RETURNS TABLE (
  at timestamptz,
  product_id uuid,
  currency text,
  orders bigint,
  units bigint,
  gross bigint,
  discount bigint,
  uncaptured bigint,
  tax bigint
)
LANGUAGE sql
STABLE
AS $$
  WITH
    stale AS (
      SELECT s.bucket
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_from AND s.bucket < p_to
    )
  SELECT r.bucket, r.product_id, r.currency, r.orders, r.units, r.gross, r.discount, r.uncaptured, r.tax
  FROM analytics.product_rollup r
  WHERE
    p_product_ids IS NULL
    AND r.merchant_id = p_merchant_id
    AND r.bucket >= p_from
    AND r.bucket < p_to
    AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
  UNION ALL
  SELECT r.bucket, r.product_id, r.currency, r.orders, r.units, r.gross, r.discount, r.uncaptured, r.tax
  FROM analytics.product_rollup r
  WHERE
    r.merchant_id = p_merchant_id
    AND r.product_id = ANY (p_product_ids)
    AND r.bucket >= p_from
    AND r.bucket < p_to
    AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
  UNION ALL
  SELECT f.*
  FROM
    analytics.stale_spans(p_merchant_id, p_from, p_to) s,
    analytics.product_facts(p_merchant_id, s.span_from, s.span_to) f
  WHERE p_product_ids IS NULL OR f.product_id = ANY (p_product_ids);
$$;

-- NULL for a metric that isn't of sales.
CREATE FUNCTION analytics.amount_of(p_metric text, p_sold analytics.sold_amounts)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_metric
      WHEN 'ORDERS' THEN p_sold.orders
      WHEN 'UNITS' THEN p_sold.units
      WHEN 'GROSS_SALES' THEN p_sold.gross
      WHEN 'DISCOUNTS' THEN p_sold.discount
      WHEN 'REVENUE' THEN p_sold.gross - p_sold.discount - p_sold.uncaptured
      WHEN 'TAX' THEN p_sold.tax
    END;
$$;

-- The products of which most was sold, in the order of analytics.report_of. NULL if there are fewer than p_limit with
-- sales in the currency, or the metric isn't of sales: then the report measures all of them.
--
-- One pass adds up the metric alone. It is planned for its span, because of a long one Postgres reads the whole table,
-- and of a short one the index; and it may keep the sums of some 200,000 products in memory.
CREATE FUNCTION analytics.top_products(
  p_merchant_id uuid,
  p_span tstzrange,
  p_metric text,
  p_currency text,
  p_limit integer
)
RETURNS uuid[]
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan
SET work_mem = '32MB'
AS $$
BEGIN
  RETURN (
    SELECT
      CASE
        WHEN count(t.amount) = p_limit THEN array_agg(t.product_id)
      END
    FROM
      (
        SELECT
          f.product_id,
          sum(
            analytics.amount_of(
              p_metric,
              ROW(f.orders, f.units, f.gross, f.discount, f.uncaptured, f.tax)::analytics.sold_amounts
            )
          ) AS amount
        FROM analytics.products_sold(p_merchant_id, lower(p_span), upper(p_span), NULL) f
        WHERE p_currency IS NULL OR f.currency = p_currency
        GROUP BY f.product_id
        ORDER BY amount DESC NULLS LAST, f.product_id
        LIMIT p_limit
      ) t
  );
END;
$$;

CREATE FUNCTION analytics.report(
  hasura_session json,
  "metrics" text,
  start_date date,
  end_date date,
  "interval" text DEFAULT NULL,
  time_zone text DEFAULT NULL,
  group_by text DEFAULT NULL,
  group_limit integer DEFAULT 10,
  "currency" text DEFAULT NULL,
  "compare" boolean DEFAULT FALSE
)
RETURNS SETOF analytics.report_row
LANGUAGE sql
STABLE
AS $$
  SELECT *
  FROM
    analytics.report_of(
      (hasura_session ->> 'x-hasura-merchant-id')::uuid,
      string_to_array("metrics", ','),
      start_date,
      end_date,
      "interval",
      time_zone,
      group_by,
      group_limit,
      "currency",
      "compare"
    );
$$;

CREATE FUNCTION analytics.widget_report(p_widget analytics.widget)
RETURNS SETOF analytics.report_row
LANGUAGE sql
STABLE
AS $$
  SELECT r.*
  FROM
    merchant.settings s
    CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE coalesce(p_widget.time_zone, s.timezone))::date AS day) today
    CROSS JOIN LATERAL analytics.report_of(
      p_widget.merchant_id,
      p_widget.metrics,
      today.day - p_widget.last_days + 1,
      today.day,
      p_widget.interval,
      p_widget.time_zone,
      p_widget.group_by,
      p_widget.group_limit,
      p_widget.currency,
      p_widget.compare
    ) r
  WHERE s.merchant_id = p_widget.merchant_id;
$$;

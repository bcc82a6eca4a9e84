-- Reports: metrics over a range of days, by interval and dimension; and dashboards, which are saved sets of them.

-- What a metric can be grouped by. NULL for what is no metric.
CREATE FUNCTION analytics.groupings(p_metric text) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN p_metric IN ('UNITS', 'GROSS_SALES', 'DISCOUNTS', 'REVENUE', 'TAX') THEN '{CURRENCY,STATUS,PRODUCT,CATEGORY}'::text[]
    WHEN p_metric = 'ORDERS' THEN '{CURRENCY,STATUS,PRODUCT}'
    WHEN p_metric IN ('ORDERS_PLACED', 'ORDERS_CANCELLED', 'SHIPPING', 'TOTAL_SALES', 'AVERAGE_ORDER_VALUE', 'REFUNDS', 'REFUNDED')
      THEN '{CURRENCY,STATUS}'
    WHEN p_metric IN ('STOCK_RECEIVED', 'STOCK_REMOVED') THEN '{PRODUCT}'
    WHEN p_metric = 'VIEWS' THEN '{PRODUCT,CATEGORY}'
    WHEN p_metric IN ('CUSTOMERS', 'NEW_CUSTOMERS', 'RETURNING_CUSTOMERS', 'REGISTRATIONS', 'STOCK_LEVEL') THEN '{}'
  END
$$;

-- Whether a metric is an amount of money, which is told for each currency and never added over them.
CREATE FUNCTION analytics.is_money(p_metric text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT p_metric IN (
    'GROSS_SALES', 'DISCOUNTS', 'REVENUE', 'TAX', 'SHIPPING', 'TOTAL_SALES', 'AVERAGE_ORDER_VALUE', 'REFUNDED'
  )
$$;

-- What is wrong with a question, whatever there is to report: NULL when nothing is.
CREATE FUNCTION analytics.question_refusal(
  p_metrics text[],
  p_days integer,
  p_interval text,
  p_time_zone text,
  p_group_by text,
  p_group_limit integer
) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN coalesce(cardinality(p_metrics), 0) NOT BETWEEN 1 AND 10 THEN 'metrics'
    WHEN EXISTS (
      SELECT FROM unnest(p_metrics) m
      WHERE analytics.groupings(m) IS NULL OR p_group_by IS NOT NULL AND p_group_by <> ALL (analytics.groupings(m))
    ) THEN 'metrics'
    WHEN p_group_by NOT IN ('CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY') THEN 'groupBy'
    WHEN coalesce(p_days, 0) NOT BETWEEN 1 AND 3660 THEN 'days'
    WHEN p_interval NOT IN ('HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR') THEN 'interval'
    WHEN p_interval = 'HOUR' AND p_days > 31 OR p_interval = 'DAY' AND p_days > 800 THEN 'interval'
    WHEN p_time_zone IS NOT NULL AND NOT platform.is_time_zone(p_time_zone) THEN 'timeZone'
    WHEN coalesce(p_group_limit, 0) NOT BETWEEN 1 AND 100 THEN 'groupLimit'
  END
$$;

-- The moment at which a day begins in a time zone. Where the clock shows midnight twice, it is the first one; where it skips
-- midnight, it is what comes instead.
CREATE FUNCTION analytics.day_start(p_day date, p_time_zone text) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN ((t - interval '1 hour') AT TIME ZONE p_time_zone)::date = p_day THEN t - interval '1 hour'
    WHEN ((t - interval '30 minutes') AT TIME ZONE p_time_zone)::date = p_day THEN t - interval '30 minutes'
    ELSE t
  END
  FROM (SELECT p_day::timestamp AT TIME ZONE p_time_zone) AS midnight (t)
$$;

-- Where the intervals of a range of days begin, and where the last one ends: one more than there are intervals. Days and
-- hours are as long as clocks in the zone make them, and the first and the last interval are cut off by the range.
-- before_at is the same in the period before, which is as many intervals earlier as the range has (as many days earlier,
-- where intervals are hours or there are none): between two of them lies what an interval is compared with.
CREATE FUNCTION analytics.bounds(p_first date, p_last date, p_interval text, p_time_zone text)
RETURNS TABLE (at timestamptz, before_at timestamptz)
LANGUAGE sql STABLE
AS $$
  WITH step AS (
    SELECT CASE p_interval
      WHEN 'WEEK' THEN interval '7 days' WHEN 'MONTH' THEN interval '1 month' WHEN 'QUARTER' THEN interval '3 months'
      WHEN 'YEAR' THEN interval '1 year' ELSE interval '1 day'
    END AS length
  ),
  day AS (
    SELECT p_first AS day
    UNION
    SELECT d::date
    FROM step, generate_series(
      date_trunc(CASE WHEN p_interval = 'HOUR' THEN 'day' ELSE p_interval END, p_first::timestamp), p_last::timestamp, length
    ) d
    WHERE d::date > p_first AND p_interval IS NOT NULL
    UNION
    SELECT p_last + 1
  ),
  shift AS (
    SELECT CASE WHEN coalesce(p_interval, 'DAY') IN ('HOUR', 'DAY') THEN make_interval(days => p_last - p_first + 1)
      ELSE length * (SELECT count(*) - 1 FROM day)
    END AS back
    FROM step
  ),
  bound AS (
    SELECT analytics.day_start(d.day, p_time_zone) AS at, analytics.day_start((d.day - s.back)::date, p_time_zone) AS before_at
    FROM day d, shift s
    UNION ALL
    SELECT h, greatest(b.before_start, (h AT TIME ZONE p_time_zone - s.back) AT TIME ZONE p_time_zone)
    FROM day d, shift s,
      LATERAL (
        SELECT
          analytics.day_start(d.day, p_time_zone) AS start, analytics.day_start(d.day + 1, p_time_zone) AS finish,
          analytics.day_start((d.day - s.back)::date, p_time_zone) AS before_start
      ) b,
      generate_series(b.start + interval '1 hour', b.finish - interval '1 microsecond', '1 hour') h
    WHERE p_interval = 'HOUR' AND d.day <= p_last
  )
  SELECT b.at, max(b.before_at) FROM bound b GROUP BY b.at ORDER BY b.at
$$;

-- The stale quarters between two moments, where they touch each other as one.
CREATE FUNCTION analytics.stale_spans(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (span_from timestamptz, span_to timestamptz)
LANGUAGE sql STABLE
AS $$
  SELECT lower(span), upper(span)
  FROM (
    SELECT unnest(range_agg(tstzrange(s.bucket, s.bucket + interval '15 minutes'))) AS span
    FROM (
      SELECT DISTINCT s.bucket FROM analytics.stale_bucket s
      WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_from AND s.bucket < p_to
    ) s
  ) m
$$;

-- What happened by interval (numbered from 1), group and currency, as metrics. Currency is NULL for numbers of things.
CREATE FUNCTION analytics.sales_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text
) RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql STABLE
AS $$
  WITH stale AS (
    SELECT s.bucket FROM analytics.stale_bucket s
    WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_bounds[1] AND s.bucket < p_bounds[cardinality(p_bounds)]
  ),
  fact AS (
    SELECT
      r.bucket AS at, r.currency, r.status, r.placed, r.cancelled, r.orders, r.units, r.gross, r.discount, r.uncaptured,
      r.shipping, r.tax, r.total, r.refunds, r.refunded
    FROM analytics.sales_rollup r
    WHERE r.merchant_id = p_merchant_id AND r.bucket >= p_bounds[1] AND r.bucket < p_bounds[cardinality(p_bounds)]
      AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
    UNION ALL
    SELECT f.*
    FROM
      analytics.stale_spans(p_merchant_id, p_bounds[1], p_bounds[cardinality(p_bounds)]) s,
      analytics.sales_facts(p_merchant_id, s.span_from, s.span_to) f
  ),
  summed AS (
    SELECT
      width_bucket(f.at, p_bounds) AS number,
      CASE p_group_by WHEN 'CURRENCY' THEN f.currency WHEN 'STATUS' THEN f.status END AS group_key,
      f.currency, sum(f.placed) AS placed, sum(f.cancelled) AS cancelled, sum(f.orders) AS orders, sum(f.units) AS units,
      sum(f.gross) AS gross, sum(f.discount) AS discount, sum(f.uncaptured) AS uncaptured, sum(f.shipping) AS shipping,
      sum(f.tax) AS tax, sum(f.total) AS total, sum(f.refunds) AS refunds, sum(f.refunded) AS refunded
    FROM fact f
    WHERE p_currency IS NULL OR f.currency = p_currency
    GROUP BY 1, 2, 3
  )
  SELECT s.number, s.group_key, m.metric, m.currency, sum(m.value)
  FROM summed s
  CROSS JOIN LATERAL (VALUES
    ('ORDERS_PLACED', NULL, s.placed),
    ('ORDERS_CANCELLED', NULL, s.cancelled),
    ('ORDERS', NULL, s.orders),
    ('UNITS', NULL, s.units),
    ('REFUNDS', NULL, s.refunds),
    ('GROSS_SALES', s.currency, s.gross),
    ('DISCOUNTS', s.currency, s.discount),
    ('REVENUE', s.currency, s.gross - s.discount - s.uncaptured),
    ('SHIPPING', s.currency, s.shipping),
    ('TAX', s.currency, s.tax),
    ('TOTAL_SALES', s.currency, s.total),
    -- One row for each currency, so nothing is added to it.
    ('AVERAGE_ORDER_VALUE', s.currency, round(s.total / nullif(s.orders, 0))),
    ('REFUNDED', s.currency, s.refunded)
  ) AS m (metric, currency, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL
  GROUP BY 1, 2, 3, 4
$$;

-- The same of products and their categories. A product counts in each of its categories of now.
CREATE FUNCTION analytics.products_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text
) RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql STABLE
AS $$
  WITH stale AS (
    SELECT s.bucket FROM analytics.stale_bucket s
    WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_bounds[1] AND s.bucket < p_bounds[cardinality(p_bounds)]
  ),
  fact AS (
    SELECT r.bucket AS at, r.product_id, r.currency, r.orders, r.units, r.gross, r.discount, r.uncaptured, r.tax
    FROM analytics.product_rollup r
    WHERE p_group_by IN ('PRODUCT', 'CATEGORY')
      AND r.merchant_id = p_merchant_id AND r.bucket >= p_bounds[1] AND r.bucket < p_bounds[cardinality(p_bounds)]
      AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
    UNION ALL
    SELECT f.*
    FROM
      analytics.stale_spans(p_merchant_id, p_bounds[1], p_bounds[cardinality(p_bounds)]) s,
      analytics.product_facts(p_merchant_id, s.span_from, s.span_to) f
    WHERE p_group_by IN ('PRODUCT', 'CATEGORY')
  ),
  by_product AS (
    SELECT
      width_bucket(f.at, p_bounds) AS number, f.product_id, f.currency, sum(f.orders) AS orders, sum(f.units) AS units,
      sum(f.gross) AS gross, sum(f.discount) AS discount, sum(f.uncaptured) AS uncaptured, sum(f.tax) AS tax,
      NULL::numeric AS views
    FROM fact f
    WHERE p_currency IS NULL OR f.currency = p_currency
    GROUP BY 1, 2, 3
    UNION ALL
    SELECT width_bucket(v.bucket, p_bounds), v.product_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sum(v.views)
    FROM analytics.product_view v
    WHERE 'VIEWS' = ANY (p_metrics) AND v.merchant_id = p_merchant_id AND v.bucket >= p_bounds[1] AND v.bucket < p_bounds[cardinality(p_bounds)]
    GROUP BY 1, 2
  )
  SELECT s.number, k.group_key, m.metric, m.currency, sum(m.value)
  FROM by_product s
  LEFT JOIN catalog.product_category c
    ON p_group_by = 'CATEGORY' AND c.merchant_id = p_merchant_id AND c.product_id = s.product_id
  CROSS JOIN LATERAL (
    SELECT CASE p_group_by WHEN 'PRODUCT' THEN s.product_id::text WHEN 'CATEGORY' THEN c.category_id::text END AS group_key
  ) k
  CROSS JOIN LATERAL (VALUES
    ('ORDERS', NULL, s.orders),
    ('UNITS', NULL, s.units),
    ('VIEWS', NULL, s.views),
    ('GROSS_SALES', s.currency, s.gross),
    ('DISCOUNTS', s.currency, s.discount),
    ('REVENUE', s.currency, s.gross - s.discount - s.uncaptured),
    ('TAX', s.currency, s.tax)
  ) AS m (metric, currency, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL
  GROUP BY 1, 2, 3, 4
$$;

-- The same of customers. Who bought in two intervals counts in both, so there is nothing to add up: customers are counted in
-- an index of what was paid, not in a roll-up.
CREATE FUNCTION analytics.customers_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_currency text
) RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql STABLE
AS $$
  WITH buyer AS (
    SELECT width_bucket(o.paid_at, p_bounds) AS number, o.customer_id
    FROM ordering.order o
    WHERE p_metrics && '{CUSTOMERS,NEW_CUSTOMERS,RETURNING_CUSTOMERS}'
      AND o.merchant_id = p_merchant_id AND o.paid_at >= p_bounds[1] AND o.paid_at < p_bounds[cardinality(p_bounds)]
      AND (p_currency IS NULL OR o.currency = p_currency)
    GROUP BY 1, 2
  ),
  customer AS (
    SELECT
      b.customer_id,
      (
        SELECT min(o.paid_at) FROM ordering.order o
        WHERE o.merchant_id = p_merchant_id AND o.customer_id = b.customer_id AND o.paid_at IS NOT NULL
      ) AS first_paid_at
    FROM buyer b
    GROUP BY 1
  ),
  counted AS (
    SELECT
      b.number, count(*) AS customers, count(*) FILTER (WHERE c.first_paid_at < p_bounds[b.number]) AS returning_customers,
      NULL::bigint AS registrations
    FROM buyer b
    JOIN customer c USING (customer_id)
    GROUP BY 1
    UNION ALL
    SELECT width_bucket(c.created_at, p_bounds), NULL, NULL, count(*)
    FROM crm.customer c
    WHERE 'REGISTRATIONS' = ANY (p_metrics)
      AND c.merchant_id = p_merchant_id AND c.created_at >= p_bounds[1] AND c.created_at < p_bounds[cardinality(p_bounds)]
    GROUP BY 1
  )
  SELECT c.number, NULL, m.metric, NULL, m.value
  FROM counted c
  CROSS JOIN LATERAL (VALUES
    ('CUSTOMERS', c.customers),
    ('NEW_CUSTOMERS', c.customers - c.returning_customers),
    ('RETURNING_CUSTOMERS', c.returning_customers),
    ('REGISTRATIONS', c.registrations)
  ) AS m (metric, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL
$$;

-- The same of stock. What is on the shelves at the end of an interval is everything that moved until then.
CREATE FUNCTION analytics.stock_by_interval(p_merchant_id uuid, p_bounds timestamptz[], p_metrics text[], p_group_by text)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql STABLE
AS $$
  WITH range AS (
    SELECT CASE WHEN 'STOCK_LEVEL' = ANY (p_metrics) THEN '-infinity' ELSE p_bounds[1] END AS first, p_bounds[cardinality(p_bounds)] AS last
  ),
  stale AS (
    SELECT s.bucket FROM range, analytics.stale_bucket s
    WHERE s.merchant_id = p_merchant_id AND s.bucket >= range.first AND s.bucket < range.last
  ),
  fact AS (
    SELECT r.bucket AS at, r.product_id, r.received, r.removed, r.moved
    FROM range, analytics.stock_rollup r
    WHERE r.merchant_id = p_merchant_id AND r.bucket >= range.first AND r.bucket < range.last
      AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
    UNION ALL
    SELECT f.*
    FROM range,
      analytics.stale_spans(p_merchant_id, range.first, range.last) s,
      analytics.stock_facts(p_merchant_id, s.span_from, s.span_to) f
  ),
  summed AS (
    SELECT
      width_bucket(f.at, p_bounds) AS number, CASE p_group_by WHEN 'PRODUCT' THEN f.product_id::text END AS group_key,
      sum(f.received) AS received, sum(f.removed) AS removed, sum(f.received - f.removed + f.moved) AS delta
    FROM fact f
    GROUP BY 1, 2
  )
  SELECT s.number, s.group_key, m.metric, NULL, m.value
  FROM summed s
  CROSS JOIN LATERAL (VALUES ('STOCK_RECEIVED', s.received), ('STOCK_REMOVED', s.removed)) AS m (metric, value)
  WHERE s.number > 0 AND m.metric = ANY (p_metrics)
  UNION ALL
  SELECT n, NULL, 'STOCK_LEVEL', NULL, sum(coalesce(s.delta, 0) + CASE WHEN n = 1 THEN coalesce(b.delta, 0) ELSE 0 END) OVER (ORDER BY n)
  FROM generate_series(1, cardinality(p_bounds) - 1) AS n
  LEFT JOIN summed s ON s.number = n
  LEFT JOIN summed b ON b.number = 0
  WHERE 'STOCK_LEVEL' = ANY (p_metrics)
$$;

-- Any metrics by interval, each from where it is kept.
CREATE FUNCTION analytics.metrics_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text
) RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_by_product boolean := coalesce(p_group_by IN ('PRODUCT', 'CATEGORY'), false);
BEGIN
  IF NOT v_by_product THEN
    RETURN QUERY SELECT * FROM analytics.sales_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_currency);
  END IF;
  IF v_by_product OR 'VIEWS' = ANY (p_metrics) THEN
    RETURN QUERY SELECT * FROM analytics.products_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_currency);
  END IF;
  IF p_metrics && '{STOCK_RECEIVED,STOCK_REMOVED,STOCK_LEVEL}' THEN
    RETURN QUERY SELECT * FROM analytics.stock_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by);
  END IF;
  IF p_metrics && '{CUSTOMERS,NEW_CUSTOMERS,RETURNING_CUSTOMERS,REGISTRATIONS}' THEN
    RETURN QUERY SELECT * FROM analytics.customers_by_interval(p_merchant_id, p_bounds, p_metrics, p_currency);
  END IF;
END
$$;

-- The shape of a report. It has no rows of its own.
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
WHERE false;

-- A report: for each metric, group and currency a row for each interval, nothing being 0 (and no average). Without a group
-- there is always a row. Of groups, the p_group_limit with the most of the first metric: of money, in the report's currency or
-- the merchant's, and then in any other one.
CREATE FUNCTION analytics.report_of(
  p_merchant_id uuid,
  p_metrics text[],
  p_first date,
  p_last date,
  p_interval text,
  p_time_zone text,
  p_group_by text,
  p_group_limit integer,
  p_currency text,
  p_compare boolean
) RETURNS SETOF analytics.report_row
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  c_max_rows CONSTANT integer := 20000;
  v_refusal text := analytics.question_refusal(p_metrics, p_last - p_first + 1, p_interval, p_time_zone, p_group_by, p_group_limit);
  v_settings merchant.settings;
  v_bounds timestamptz[];
  v_before timestamptz[];
  v_currency text;
BEGIN
  IF v_refusal IS NULL AND (p_first < date '1970-01-01' OR p_last > date '2199-12-31') THEN
    v_refusal := 'startDate';
  END IF;
  IF v_refusal IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('%s of the report is out of bounds', v_refusal);
  END IF;
  SELECT * INTO v_settings FROM merchant.settings s WHERE s.merchant_id = p_merchant_id;
  v_currency := coalesce(p_currency, v_settings.currency);
  SELECT array_agg(b.at ORDER BY b.at), array_agg(b.before_at ORDER BY b.at) INTO v_bounds, v_before
  FROM analytics.bounds(p_first, p_last, p_interval, coalesce(p_time_zone, v_settings.timezone, 'UTC')) b;
  IF (cardinality(v_bounds) - 1) * cardinality(p_metrics) * (CASE WHEN p_group_by IS NULL THEN 1 ELSE p_group_limit END)
    > c_max_rows
  THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = 'interval of the report is out of bounds', DETAIL = format('A report has at most %s rows.', c_max_rows);
  END IF;

  RETURN QUERY
  WITH measured AS MATERIALIZED (
    SELECT * FROM analytics.metrics_by_interval(p_merchant_id, v_bounds, p_metrics, p_group_by, p_currency)
  ),
  measured_before AS MATERIALIZED (
    SELECT m.* FROM analytics.metrics_by_interval(p_merchant_id, v_before, p_metrics, p_group_by, p_currency) m WHERE p_compare
  ),
  top_group AS (
    SELECT
      g.group_key,
      row_number() OVER (
        ORDER BY
          max(g.value) FILTER (WHERE g.currency IS NULL OR g.currency = v_currency) DESC NULLS LAST,
          max(g.value) DESC NULLS LAST, g.group_key NULLS LAST
      )::integer AS rank
    FROM (
      SELECT m.group_key, m.currency, sum(m.value) FILTER (WHERE m.metric = p_metrics[1]) AS value
      FROM measured m GROUP BY 1, 2
    ) g
    GROUP BY g.group_key
    ORDER BY rank
    LIMIT p_group_limit
  ),
  series AS (
    SELECT m.group_key, m.metric, m.currency, coalesce(g.rank, 1) AS rank
    FROM (SELECT * FROM measured UNION ALL SELECT * FROM measured_before) m
    LEFT JOIN top_group g ON p_group_by IS NOT NULL AND g.group_key IS NOT DISTINCT FROM m.group_key
    WHERE p_group_by IS NULL OR g.rank IS NOT NULL
    GROUP BY 1, 2, 3, 4
    UNION
    SELECT NULL, m, CASE WHEN analytics.is_money(m) THEN v_currency END, 1
    FROM unnest(p_metrics) AS m
    WHERE p_group_by IS NULL
  )
  SELECT
    p_merchant_id, n, v_bounds[n], v_bounds[n + 1], s.metric, s.currency,
    CASE WHEN p_group_by = 'STATUS' THEN s.group_key END,
    CASE WHEN p_group_by = 'PRODUCT' THEN s.group_key::uuid END,
    CASE WHEN p_group_by = 'CATEGORY' THEN s.group_key::uuid END,
    coalesce(m.value, e.nothing)::bigint,
    CASE WHEN p_compare THEN coalesce(b.value, e.nothing)::bigint END,
    s.rank
  FROM series s
  CROSS JOIN generate_series(1, cardinality(v_bounds) - 1) AS n
  CROSS JOIN LATERAL (SELECT CASE WHEN s.metric <> 'AVERAGE_ORDER_VALUE' THEN 0 END AS nothing) e
  LEFT JOIN measured m
    ON m.number = n AND m.metric = s.metric AND coalesce(m.group_key, '') = coalesce(s.group_key, '')
    AND coalesce(m.currency, '') = coalesce(s.currency, '')
  LEFT JOIN measured_before b
    ON b.number = n AND b.metric = s.metric AND coalesce(b.group_key, '') = coalesce(s.group_key, '')
    AND coalesce(b.currency, '') = coalesce(s.currency, '');
END
$$;

-- What Hasura shows: a report of the session's merchant. Metrics are separated by commas.
CREATE FUNCTION analytics.report(
  hasura_session json,
  "metrics" text,
  "startDate" date,
  "endDate" date,
  "interval" text DEFAULT NULL,
  "timeZone" text DEFAULT NULL,
  "groupBy" text DEFAULT NULL,
  "groupLimit" integer DEFAULT 10,
  "currency" text DEFAULT NULL,
  "compare" boolean DEFAULT false
) RETURNS SETOF analytics.report_row
LANGUAGE sql STABLE
AS $$
  SELECT * FROM analytics.report_of(
    (hasura_session ->> 'x-hasura-merchant-id')::uuid, string_to_array("metrics", ','), "startDate", "endDate", "interval",
    "timeZone", "groupBy", "groupLimit", "currency", "compare"
  )
$$;

CREATE TABLE analytics.dashboard (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  position integer NOT NULL DEFAULT 0 CHECK (position BETWEEN 0 AND 1000000),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT dashboard_name_key UNIQUE (merchant_id, name)
);
CREATE INDEX dashboard_position ON analytics.dashboard (merchant_id, position, id);
CREATE INDEX dashboard_created_at ON analytics.dashboard (merchant_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON analytics.dashboard
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- A report that is saved on a dashboard: of the last days, today included.
CREATE TABLE analytics.widget (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  dashboard_id uuid NOT NULL,
  position integer NOT NULL CHECK (position BETWEEN 0 AND 19),
  title text NOT NULL CHECK (title <> ''),
  metrics text[] NOT NULL,
  last_days integer NOT NULL,
  interval text,
  time_zone text,
  group_by text,
  group_limit integer NOT NULL DEFAULT 10,
  currency text CHECK (currency ~ '^[A-Z]{3}$'),
  compare boolean NOT NULL DEFAULT false,
  PRIMARY KEY (merchant_id, id),
  -- At most twenty, because there are so many places.
  CONSTRAINT widget_position_key UNIQUE (merchant_id, dashboard_id, position),
  CONSTRAINT widget_dashboard_fkey FOREIGN KEY (merchant_id, dashboard_id) REFERENCES analytics.dashboard ON DELETE CASCADE,
  CONSTRAINT widget_question CHECK (
    analytics.question_refusal(metrics, last_days, interval, time_zone, group_by, group_limit) IS NULL
  )
);

CREATE FUNCTION analytics.widget_report(p_widget analytics.widget) RETURNS SETOF analytics.report_row
LANGUAGE sql STABLE
AS $$
  SELECT r.*
  FROM merchant.settings s
  CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE coalesce(p_widget.time_zone, s.timezone))::date AS day) today
  CROSS JOIN LATERAL analytics.report_of(
    p_widget.merchant_id, p_widget.metrics, today.day - p_widget.last_days + 1, today.day, p_widget.interval, p_widget.time_zone,
    p_widget.group_by, p_widget.group_limit, p_widget.currency, p_widget.compare
  ) r
  WHERE s.merchant_id = p_widget.merchant_id
$$;

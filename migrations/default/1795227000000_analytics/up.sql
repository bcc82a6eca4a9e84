-- Analytics: when money came in and went out, roll-ups of it by quarter of an hour, and views of products.
--
-- A roll-up can't be wrong, because it is only read where nothing has changed since: whatever changes an order, a line or a
-- refund names the quarter hours concerned in stale_bucket, in the same transaction. A job computes those anew and takes
-- their names off, in one transaction too. A report reads the roll-up of the quarters that aren't named, and the rows
-- themselves for those that are. So in every snapshot of the database a report says what the rows say.
--
-- A quarter of an hour, because every time zone there has been since 1973 is a whole number of them away from UTC: days,
-- weeks and months of any of them are made of whole quarters.

INSERT INTO merchant.permission (name, description) VALUES
  ('analytics:read', 'See reports, dashboards and the figures of products'),
  ('analytics:write', 'Create, change and delete dashboards');

CREATE SCHEMA analytics;

-- When an order was paid, which makes it a sale. It stays a sale whatever becomes of it: what is given back is a refund.
ALTER TABLE ordering.order ADD COLUMN paid_at timestamptz;
CREATE FUNCTION ordering.note_paid_at() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.paid_at := CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE now() END;
  RETURN NEW;
END
$$;
CREATE TRIGGER note_paid_at BEFORE INSERT OR UPDATE OF status ON ordering.order
  FOR EACH ROW WHEN (NEW.paid_at IS NULL AND NEW.status IN ('CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'REFUNDED'))
  EXECUTE FUNCTION ordering.note_paid_at();

-- When money was given back.
ALTER TABLE payment.refund ADD COLUMN succeeded_at timestamptz;
CREATE FUNCTION payment.note_succeeded_at() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.succeeded_at := CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE now() END;
  RETURN NEW;
END
$$;
CREATE TRIGGER note_succeeded_at BEFORE INSERT OR UPDATE OF status ON payment.refund
  FOR EACH ROW WHEN (NEW.succeeded_at IS NULL AND NEW.status = 'SUCCEEDED') EXECUTE FUNCTION payment.note_succeeded_at();

CREATE INDEX order_paid_at ON ordering.order (merchant_id, paid_at) INCLUDE (customer_id, currency) WHERE paid_at IS NOT NULL;
CREATE INDEX order_cancelled_at ON ordering.order (merchant_id, cancelled_at) WHERE cancelled_at IS NOT NULL;
CREATE INDEX order_customer_paid_at ON ordering.order (merchant_id, customer_id, paid_at) WHERE paid_at IS NOT NULL;
CREATE INDEX refund_succeeded_at ON payment.refund (merchant_id, succeeded_at) WHERE succeeded_at IS NOT NULL;

CREATE FUNCTION analytics.bucket_of(p_at timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE
AS $$
  SELECT date_bin('15 minutes', p_at, 'epoch')
$$;

-- What happened between two moments, one row for each thing: an order placed, called off or paid, a refund.
-- status is the order's of now. discount is what was taken off goods; what was taken off shipping is off shipping.
-- uncaptured is what of the goods' price was reserved and never taken; that of shipping, tax and total is off them.
CREATE FUNCTION analytics.sales_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (
  at timestamptz, currency text, status text, placed bigint, cancelled bigint, orders bigint, units bigint, gross bigint,
  discount bigint, uncaptured bigint, shipping bigint, tax bigint, total bigint, refunds bigint, refunded bigint
)
LANGUAGE sql STABLE
AS $$
  SELECT o.created_at, o.currency, o.status, 1::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.created_at >= p_from AND o.created_at < p_to
  UNION ALL
  SELECT o.cancelled_at, o.currency, o.status, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.cancelled_at >= p_from AND o.cancelled_at < p_to
  UNION ALL
  SELECT
    o.paid_at, o.currency, o.status, 0, 0, 1, l.units, o.subtotal, o.discount - o.shipping_discount, l.uncaptured,
    o.shipping - o.shipping_discount - o.uncaptured_shipping, o.tax - l.uncaptured_tax, o.total - o.uncaptured, 0, 0
  FROM ordering.order o
  CROSS JOIN LATERAL (
    SELECT sum(i.quantity) AS units, sum(i.uncaptured)::bigint AS uncaptured, sum(i.uncaptured_tax)::bigint AS uncaptured_tax
    FROM ordering.order_item i WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
  ) l
  WHERE o.merchant_id = p_merchant_id AND o.paid_at >= p_from AND o.paid_at < p_to
  UNION ALL
  SELECT r.succeeded_at, p.currency, o.status, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, r.amount
  FROM payment.refund r
  JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
  JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
  WHERE r.merchant_id = p_merchant_id AND r.succeeded_at >= p_from AND r.succeeded_at < p_to AND r.status = 'SUCCEEDED'
$$;

-- What was paid for between two moments, one row for each product of an order.
CREATE FUNCTION analytics.product_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (
  at timestamptz, product_id uuid, currency text, orders bigint, units bigint, gross bigint, discount bigint,
  uncaptured bigint, tax bigint
)
LANGUAGE sql STABLE
AS $$
  SELECT
    o.paid_at, i.product_id, o.currency, 1::bigint, sum(i.quantity), sum(i.subtotal)::bigint, sum(i.discount)::bigint,
    sum(i.uncaptured)::bigint, sum(i.tax - i.uncaptured_tax)::bigint
  FROM ordering.order o
  JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE o.merchant_id = p_merchant_id AND o.paid_at >= p_from AND o.paid_at < p_to
  GROUP BY o.merchant_id, o.id, i.product_id
$$;

-- What came onto shelves and left them between two moments, one row for each movement.
CREATE FUNCTION analytics.stock_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (at timestamptz, product_id uuid, received bigint, removed bigint, moved bigint)
LANGUAGE sql STABLE
AS $$
  SELECT
    m.created_at, m.product_id, greatest(s.delta, 0), greatest(-s.delta, 0),
    -- From one warehouse to another: nothing that comes or goes.
    CASE WHEN m.kind IN ('TRANSFER_IN', 'TRANSFER_OUT') THEN m.on_hand_delta ELSE 0 END::bigint
  FROM inventory.stock_movement m
  CROSS JOIN LATERAL (
    SELECT CASE WHEN m.kind IN ('TRANSFER_IN', 'TRANSFER_OUT') THEN 0 ELSE m.on_hand_delta END::bigint AS delta
  ) s
  WHERE m.merchant_id = p_merchant_id AND m.on_hand_delta <> 0 AND m.created_at >= p_from AND m.created_at < p_to
$$;

-- The facts summed up by quarter of an hour. A row is right unless its bucket is stale.
CREATE TABLE analytics.sales_rollup (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  placed bigint NOT NULL,
  cancelled bigint NOT NULL,
  orders bigint NOT NULL,
  units bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  uncaptured bigint NOT NULL,
  shipping bigint NOT NULL,
  tax bigint NOT NULL,
  total bigint NOT NULL,
  refunds bigint NOT NULL,
  refunded bigint NOT NULL,
  PRIMARY KEY (merchant_id, bucket, currency, status)
);

CREATE TABLE analytics.product_rollup (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  product_id uuid NOT NULL,
  currency text NOT NULL,
  orders bigint NOT NULL,
  units bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  uncaptured bigint NOT NULL,
  tax bigint NOT NULL,
  PRIMARY KEY (merchant_id, bucket, product_id, currency)
);

CREATE TABLE analytics.stock_rollup (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  product_id uuid NOT NULL,
  received bigint NOT NULL,
  removed bigint NOT NULL,
  moved bigint NOT NULL,
  PRIMARY KEY (merchant_id, bucket, product_id)
);

-- Quarters of an hour in which something has changed since they were summed up. Changes add rows and never wait for each
-- other, so the same quarter may be named many times.
CREATE TABLE analytics.stale_bucket (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  id bigint GENERATED BY DEFAULT AS IDENTITY,
  PRIMARY KEY (merchant_id, bucket, id)
);

CREATE FUNCTION analytics.mark_stale(p_merchant_id uuid, p_times timestamptz[]) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  INSERT INTO analytics.stale_bucket (merchant_id, bucket)
  SELECT DISTINCT p_merchant_id, analytics.bucket_of(at)
  FROM unnest(p_times) AS at
  -- When a merchant is deleted, its orders go after it.
  WHERE at IS NOT NULL AND EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id)
$$;

CREATE FUNCTION analytics.order_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM analytics.mark_stale(OLD.merchant_id, ARRAY[OLD.created_at, OLD.paid_at, OLD.cancelled_at] || ARRAY(
      SELECT r.succeeded_at
      FROM payment.payment p
      JOIN payment.refund r ON r.merchant_id = p.merchant_id AND r.payment_id = p.id
      WHERE p.merchant_id = OLD.merchant_id AND p.order_id = OLD.id
    ));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM analytics.mark_stale(NEW.merchant_id, ARRAY[NEW.created_at, NEW.paid_at, NEW.cancelled_at]);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER analytics_changed AFTER INSERT OR DELETE ON ordering.order
  FOR EACH ROW EXECUTE FUNCTION analytics.order_changed();
CREATE TRIGGER analytics_changed_by_update AFTER UPDATE ON ordering.order
  FOR EACH ROW WHEN (
    (OLD.status, OLD.currency, OLD.created_at, OLD.paid_at, OLD.cancelled_at, OLD.subtotal, OLD.discount, OLD.shipping_discount,
      OLD.shipping, OLD.tax, OLD.total, OLD.uncaptured, OLD.uncaptured_shipping)
    IS DISTINCT FROM
    (NEW.status, NEW.currency, NEW.created_at, NEW.paid_at, NEW.cancelled_at, NEW.subtotal, NEW.discount, NEW.shipping_discount,
      NEW.shipping, NEW.tax, NEW.total, NEW.uncaptured, NEW.uncaptured_shipping)
  ) EXECUTE FUNCTION analytics.order_changed();

-- Lines are written before an order is paid, so this finds something to do only when they are corrected afterwards.
CREATE FUNCTION analytics.order_item_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(o.merchant_id, ARRAY[o.paid_at])
  FROM ordering.order o
  WHERE o.paid_at IS NOT NULL
    AND (o.merchant_id, o.id) IN ((OLD.merchant_id, OLD.order_id), (NEW.merchant_id, NEW.order_id));
  RETURN NULL;
END
$$;
CREATE TRIGGER analytics_changed AFTER INSERT OR UPDATE OR DELETE ON ordering.order_item
  FOR EACH ROW EXECUTE FUNCTION analytics.order_item_changed();

CREATE FUNCTION analytics.refund_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(coalesce(NEW.merchant_id, OLD.merchant_id), ARRAY[OLD.succeeded_at, NEW.succeeded_at]);
  RETURN NULL;
END
$$;
CREATE TRIGGER analytics_changed AFTER INSERT OR UPDATE OR DELETE ON payment.refund
  FOR EACH ROW EXECUTE FUNCTION analytics.refund_changed();

-- What is only promised to somebody is on the shelf still.
CREATE FUNCTION analytics.stock_moved() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(coalesce(NEW.merchant_id, OLD.merchant_id), ARRAY[OLD.created_at, NEW.created_at]);
  RETURN NULL;
END
$$;
CREATE TRIGGER analytics_moved AFTER INSERT ON inventory.stock_movement
  FOR EACH ROW WHEN (NEW.on_hand_delta <> 0) EXECUTE FUNCTION analytics.stock_moved();
CREATE TRIGGER analytics_changed AFTER UPDATE OR DELETE ON inventory.stock_movement
  FOR EACH ROW WHEN (OLD.on_hand_delta <> 0) EXECUTE FUNCTION analytics.stock_moved();

-- What there was before: each order's first payment that came in, each refund as it was last touched.
UPDATE ordering.order o
SET paid_at = coalesce(
  (
    SELECT min(p.created_at) FROM payment.payment p
    WHERE p.merchant_id = o.merchant_id AND p.order_id = o.id AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED')
  ),
  CASE WHEN o.status NOT IN ('PENDING', 'CANCELLED') THEN o.created_at END
);
UPDATE payment.refund r SET succeeded_at = r.updated_at WHERE r.status = 'SUCCEEDED';
SELECT analytics.mark_stale(o.merchant_id, ARRAY[o.created_at, o.cancelled_at]) FROM ordering.order o;
SELECT analytics.mark_stale(m.merchant_id, ARRAY[m.created_at]) FROM inventory.stock_movement m WHERE m.on_hand_delta <> 0;

-- Sums up stale quarters of a merchant anew, the oldest ones first. Returns how many; 0 means that nothing is stale, or that
-- somebody else is at it.
--
-- Only one at a time: a second one could write what it saw earlier over what the first one saw later. The names are taken off
-- by a statement before the one that reads the facts, so it sees every change whose name it took off; a change that comes
-- later leaves its name.
CREATE FUNCTION analytics.refresh(p_merchant_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  c_length CONSTANT interval := '15 minutes';
  v_buckets timestamptz[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('analytics.refresh ' || p_merchant_id, 0)) THEN
    RETURN 0;
  END IF;
  v_buckets := ARRAY(
    SELECT DISTINCT s.bucket FROM analytics.stale_bucket s WHERE s.merchant_id = p_merchant_id ORDER BY s.bucket LIMIT p_limit
  );
  DELETE FROM analytics.stale_bucket s WHERE s.merchant_id = p_merchant_id AND s.bucket = ANY (v_buckets);
  DELETE FROM analytics.sales_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.product_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.stock_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  INSERT INTO analytics.sales_rollup
  SELECT
    p_merchant_id, b, f.currency, f.status, sum(f.placed), sum(f.cancelled), sum(f.orders), sum(f.units), sum(f.gross),
    sum(f.discount), sum(f.uncaptured), sum(f.shipping), sum(f.tax), sum(f.total), sum(f.refunds), sum(f.refunded)
  FROM unnest(v_buckets) AS b
  CROSS JOIN LATERAL analytics.sales_facts(p_merchant_id, b, b + c_length) f
  GROUP BY b, f.currency, f.status;
  INSERT INTO analytics.product_rollup
  SELECT
    p_merchant_id, b, f.product_id, f.currency, sum(f.orders), sum(f.units), sum(f.gross), sum(f.discount), sum(f.uncaptured),
    sum(f.tax)
  FROM unnest(v_buckets) AS b
  CROSS JOIN LATERAL analytics.product_facts(p_merchant_id, b, b + c_length) f
  GROUP BY b, f.product_id, f.currency;
  INSERT INTO analytics.stock_rollup
  SELECT p_merchant_id, b, f.product_id, sum(f.received), sum(f.removed), sum(f.moved)
  FROM unnest(v_buckets) AS b
  CROSS JOIN LATERAL analytics.stock_facts(p_merchant_id, b, b + c_length) f
  GROUP BY b, f.product_id;
  RETURN cardinality(v_buckets);
END
$$;

-- How often a product was looked at, by quarter of an hour: as many rows as there are products and quarters, however many
-- views there are.
CREATE TABLE analytics.product_view (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  product_id uuid NOT NULL,
  views bigint NOT NULL CHECK (views > 0),
  PRIMARY KEY (merchant_id, bucket, product_id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE
);
CREATE INDEX product_view_product ON analytics.product_view (merchant_id, product_id) INCLUDE (views);

-- Counts a view now. p_only_sold: a product that isn't for sale doesn't exist for the caller.
-- {outcome: 'recorded', productId} | {outcome: 'unknown_product'}
CREATE FUNCTION analytics.record_view(p_merchant_id uuid, p_product_id uuid, p_only_sold boolean) RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO analytics.product_view AS v (merchant_id, bucket, product_id, views)
  SELECT p.merchant_id, analytics.bucket_of(now()), p.id, 1
  FROM catalog.product p
  WHERE p.merchant_id = p_merchant_id AND p.id = p_product_id AND p.deleted_at IS NULL
    AND (p.status = 'ACTIVE' OR NOT p_only_sold)
  ON CONFLICT (merchant_id, bucket, product_id) DO UPDATE SET views = v.views + 1;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_product');
  END IF;
  RETURN jsonb_build_object('outcome', 'recorded', 'productId', p_product_id);
END
$$;

-- What a product sold, ever: units, orders, and what was paid for it before tax, in the product's currency. It is what a
-- report over all time says, so what is called off or given back later stays in it.
CREATE VIEW analytics.product_sales AS
SELECT p.merchant_id, p.id AS product_id, s.total_sold, s.conversions, s.revenue
FROM catalog.product p
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(i.quantity), 0)::integer AS total_sold,
    count(DISTINCT i.order_id)::integer AS conversions,
    coalesce(sum(i.subtotal - i.discount - i.uncaptured) FILTER (WHERE o.currency = p.currency), 0)::bigint AS revenue
  FROM ordering.order_item i
  JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
  WHERE i.merchant_id = p.merchant_id AND i.product_id = p.id AND o.paid_at IS NOT NULL
) s;

-- Product.analytics: the same, with views.
CREATE VIEW analytics.product_analytics AS
SELECT
  s.merchant_id, s.product_id, s.conversions, s.revenue,
  (
    SELECT coalesce(sum(v.views), 0) FROM analytics.product_view v
    WHERE v.merchant_id = s.merchant_id AND v.product_id = s.product_id
  )::bigint AS views
FROM analytics.product_sales s;

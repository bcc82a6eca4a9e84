CREATE FUNCTION analytics.order_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    analytics.mark_stale(
      OLD.merchant_id,
      ARRAY[OLD.created_at, OLD.paid_at, OLD.cancelled_at] || ARRAY(
        SELECT r.succeeded_at
        FROM
          payment.payment p
          JOIN payment.refund r ON r.merchant_id = p.merchant_id AND r.payment_id = p.id
        WHERE p.merchant_id = OLD.merchant_id AND p.order_id = OLD.id
      )
    );
  IF TG_OP <> 'DELETE' THEN
    PERFORM analytics.mark_stale(NEW.merchant_id, ARRAY[NEW.created_at, NEW.paid_at, NEW.cancelled_at]);
  END IF;
  RETURN NULL;
END;
$$;

-- An import marks what it changes once for a batch (ordering.import_orders).
CREATE TRIGGER analytics_deleted
AFTER DELETE ON ordering.order
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION analytics.order_changed();

CREATE FUNCTION analytics.orders_added()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(a.merchant_id, array_agg(t.at))
  FROM
    added a
    CROSS JOIN LATERAL unnest(ARRAY[a.created_at, a.paid_at, a.cancelled_at]) AS t (at)
  GROUP BY a.merchant_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_added
AFTER INSERT ON ordering.order
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
WHEN (NOT platform.importing())
EXECUTE FUNCTION analytics.orders_added();

CREATE TRIGGER analytics_changed_by_update
AFTER UPDATE ON ordering.order
FOR EACH ROW
WHEN
  (
    (
      OLD.status,
      OLD.currency,
      OLD.created_at,
      OLD.paid_at,
      OLD.cancelled_at,
      OLD.subtotal,
      OLD.discount,
      OLD.shipping_discount,
      OLD.shipping,
      OLD.tax,
      OLD.total,
      OLD.uncaptured,
      OLD.uncaptured_shipping
    ) IS DISTINCT FROM (
      NEW.status,
      NEW.currency,
      NEW.created_at,
      NEW.paid_at,
      NEW.cancelled_at,
      NEW.subtotal,
      NEW.discount,
      NEW.shipping_discount,
      NEW.shipping,
      NEW.tax,
      NEW.total,
      NEW.uncaptured,
      NEW.uncaptured_shipping
    )
  )
EXECUTE FUNCTION analytics.order_changed();

CREATE FUNCTION analytics.purchase_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.paid_at IS NOT NULL THEN
    PERFORM analytics.note_purchases(NEW.merchant_id, ARRAY[NEW.id]);
  END IF;
  IF OLD.paid_at IS NOT NULL THEN
    PERFORM analytics.forget_purchase(OLD.merchant_id, OLD.customer_id);
  END IF;
  RETURN NULL;
END;
$$;

-- These are deferred so that the customer's row is the last lock of a transaction. Transactions that take it earlier
-- would wait for each other's stock and products.
CREATE CONSTRAINT TRIGGER purchase_added
AFTER INSERT ON ordering.order
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NEW.paid_at IS NOT NULL AND NOT platform.importing())
EXECUTE FUNCTION analytics.purchase_changed();

CREATE CONSTRAINT TRIGGER purchase_changed
AFTER UPDATE ON ordering.order
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN ((OLD.paid_at, OLD.customer_id) IS DISTINCT FROM (NEW.paid_at, NEW.customer_id))
EXECUTE FUNCTION analytics.purchase_changed();

CREATE CONSTRAINT TRIGGER purchase_deleted
AFTER DELETE ON ordering.order
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (OLD.paid_at IS NOT NULL)
EXECUTE FUNCTION analytics.purchase_changed();

CREATE FUNCTION analytics.order_item_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(o.merchant_id, ARRAY[o.paid_at])
  FROM ordering.order o
  WHERE
    o.paid_at IS NOT NULL
    AND (o.merchant_id, o.id) IN ((OLD.merchant_id, OLD.order_id), (NEW.merchant_id, NEW.order_id));
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_changed
AFTER UPDATE OR DELETE ON ordering.order_item
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION analytics.order_item_changed();

-- The day of an order that is being placed is marked by the order.
CREATE TRIGGER analytics_added
AFTER INSERT ON ordering.order_item
FOR EACH ROW
WHEN (NOT platform.importing() AND NOT ordering.placing(NEW.order_id))
EXECUTE FUNCTION analytics.order_item_changed();

CREATE FUNCTION analytics.refund_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(coalesce(NEW.merchant_id, OLD.merchant_id), ARRAY[OLD.succeeded_at, NEW.succeeded_at]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_changed
AFTER INSERT OR UPDATE OR DELETE ON payment.refund
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION analytics.refund_changed();

CREATE FUNCTION analytics.stock_moved()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(m.merchant_id, array_agg(m.created_at))
  FROM moved m
  WHERE m.on_hand_delta <> 0
  GROUP BY m.merchant_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_moved
AFTER INSERT ON inventory.stock_movement
REFERENCING NEW TABLE AS moved
FOR EACH STATEMENT
EXECUTE FUNCTION analytics.stock_moved();

CREATE FUNCTION analytics.movement_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(OLD.merchant_id, ARRAY[OLD.created_at, NEW.created_at]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_changed
AFTER UPDATE OR DELETE ON inventory.stock_movement
FOR EACH ROW
WHEN (OLD.on_hand_delta <> 0)
EXECUTE FUNCTION analytics.movement_changed();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON analytics.dashboard
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

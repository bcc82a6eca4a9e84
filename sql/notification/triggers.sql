CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.notification
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.device
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.push_delivery
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION notification.forget_device()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE notification.device d SET gone_at = now() WHERE d.merchant_id = NEW.merchant_id AND d.id = NEW.device_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER forget_device
AFTER UPDATE OF status ON notification.push_delivery
FOR EACH ROW
WHEN (NEW.status = 'BOUNCED')
EXECUTE FUNCTION notification.forget_device();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.preference
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

-- Notes which of the items stand otherwise than before: plenty of it, little, or nothing.
CREATE FUNCTION notification.note_standing(p_merchant_id uuid, p_stock_item_ids uuid[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  WITH
    standing AS MATERIALIZED (
      SELECT
        c.stock_item_id,
        i.available,
        i.low_stock_threshold AS threshold,
        CASE
          WHEN i.available = 0 THEN 'OUT'
          WHEN i.available <= i.low_stock_threshold THEN 'LOW'
          ELSE 'PLENTY'
        END AS now,
        -- By its key for each item: a join may read the whole table.
        (
          SELECT s.standing
          FROM notification.stock_standing s
          WHERE s.merchant_id = p_merchant_id AND s.stock_item_id = c.stock_item_id
        ) AS before
      FROM
        (SELECT DISTINCT unnest(p_stock_item_ids) AS stock_item_id) c
        CROSS JOIN LATERAL (
          SELECT i.available, i.low_stock_threshold
          FROM inventory.sku_inventory i
          WHERE i.merchant_id = p_merchant_id AND i.stock_item_id = c.stock_item_id
        ) i
    ),
    noted AS (
      INSERT INTO notification.stock_standing (merchant_id, stock_item_id, standing)
      SELECT p_merchant_id, s.stock_item_id, s.now
      FROM standing s
      WHERE s.now IS DISTINCT FROM s.before
      ORDER BY s.stock_item_id
      ON CONFLICT (merchant_id, stock_item_id) DO UPDATE SET standing = excluded.standing
    )
  INSERT INTO notification.stock_crossing (merchant_id, stock_item_id, crossing, available, threshold)
  SELECT p_merchant_id, s.stock_item_id, c.crossing, s.available, s.threshold
  FROM
    standing s
    JOIN (
      VALUES
        ('RUN_LOW', 'PLENTY'),
        ('BACK', 'OUT')
    ) AS c (crossing, before)
      ON c.before = s.before
  WHERE s.now <> s.before;
$$;

CREATE FUNCTION notification.watch_stock()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    NOT EXISTS (
      SELECT
      FROM after a
      WHERE
        -- By its key for each level: a join may read the whole table.
        (
          SELECT s.standing
          FROM notification.stock_standing s
          WHERE s.merchant_id = a.merchant_id AND s.stock_item_id = a.stock_item_id
        ) IS DISTINCT FROM 'PLENTY'
        OR NOT EXISTS (
          SELECT FROM inventory.plentiful_item(a.merchant_id, a.stock_item_id, a.warehouse_id, a.available)
        )
    )
  THEN
    RETURN NULL;
  END IF;
  PERFORM notification.note_standing(c.merchant_id, c.ids)
  FROM (SELECT a.merchant_id, array_agg(a.stock_item_id) AS ids FROM after a GROUP BY a.merchant_id) c;
  RETURN NULL;
END;
$$;

CREATE TRIGGER watch_opening
AFTER INSERT ON inventory.stock_level
REFERENCING NEW TABLE AS after
FOR EACH STATEMENT
EXECUTE FUNCTION notification.watch_stock();

CREATE TRIGGER watch_stock
AFTER UPDATE ON inventory.stock_level
REFERENCING NEW TABLE AS after
FOR EACH STATEMENT
EXECUTE FUNCTION notification.watch_stock();

-- Runs after keep_standing (in the order of their names), which locks the items.
CREATE FUNCTION notification.watch_warehouse()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    notification.note_standing(
      NEW.merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.stock_level l
        WHERE l.merchant_id = NEW.merchant_id AND l.warehouse_id = NEW.id AND l.available > 0
      )
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER watch_warehouse
AFTER UPDATE OF active ON inventory.warehouse
FOR EACH ROW
WHEN (NEW.active <> OLD.active)
EXECUTE FUNCTION notification.watch_warehouse();

CREATE FUNCTION notification.forget_customer()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE email.delivery d
  SET
    recipient = NEW.email,
    recipient_name = NULL,
    facts = '{}',
    subject = NULL,
    html = NULL,
    text = NULL,
    message_id = NULL,
    status = CASE
      WHEN d.status IN ('QUEUED', 'SENDING', 'FAILED', 'BOUNCED') THEN 'CANCELLED'
      ELSE d.status
    END,
    reason = CASE
      WHEN d.status = 'SENT' THEN NULL
      ELSE 'The customer was forgotten'
    END,
    claimed_until = NULL
  WHERE d.merchant_id = NEW.merchant_id AND (d.customer_id = NEW.id OR d.recipient = OLD.email);
  -- Mails to staff members about the customer's appointments, which are over.
  UPDATE email.delivery d
  SET
    facts = '{}',
    subject = NULL,
    html = NULL,
    text = NULL,
    status = CASE
      WHEN d.status IN ('QUEUED', 'SENDING', 'FAILED', 'BOUNCED') THEN 'CANCELLED'
      ELSE d.status
    END,
    reason = CASE
      WHEN d.status = 'SENT' THEN NULL
      ELSE 'The customer was forgotten'
    END,
    claimed_until = NULL
  WHERE
    d.merchant_id = NEW.merchant_id
    AND d.facts #>> '{appointment,customerId}' = NEW.id::text
    AND d.kind IN ('STAFF_APPOINTMENT_BOOKED', 'STAFF_APPOINTMENT_MOVED', 'STAFF_APPOINTMENT_CANCELLED');
  DELETE FROM notification.notification n WHERE n.merchant_id = NEW.merchant_id AND n.customer_id = NEW.id;
  DELETE FROM notification.device d WHERE d.merchant_id = NEW.merchant_id AND d.customer_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER forget_messages
AFTER UPDATE OF anonymized_at ON crm.customer
FOR EACH ROW
WHEN (OLD.anonymized_at IS NULL AND NEW.anonymized_at IS NOT NULL)
EXECUTE FUNCTION notification.forget_customer();

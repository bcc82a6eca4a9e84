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

CREATE FUNCTION notification.watch_stock()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_available integer;
  v_threshold integer;
  v_standing text;
  v_before text;
BEGIN
  SELECT i.available, i.low_stock_threshold
  INTO v_available, v_threshold
  FROM inventory.sku_inventory i
  WHERE i.merchant_id = NEW.merchant_id AND i.stock_item_id = NEW.stock_item_id;
  v_standing := CASE
    WHEN v_available = 0 THEN 'OUT'
    WHEN v_available <= v_threshold THEN 'LOW'
    ELSE 'PLENTY'
  END;
  SELECT s.standing
  INTO v_before
  FROM notification.stock_standing s
  WHERE s.merchant_id = NEW.merchant_id AND s.stock_item_id = NEW.stock_item_id;
  IF v_before = v_standing THEN
    RETURN NULL;
  END IF;
  INSERT INTO notification.stock_standing (merchant_id, stock_item_id, standing)
  VALUES (NEW.merchant_id, NEW.stock_item_id, v_standing)
  ON CONFLICT (merchant_id, stock_item_id) DO UPDATE SET standing = excluded.standing;
  INSERT INTO notification.stock_crossing (merchant_id, stock_item_id, crossing, available, threshold)
  SELECT NEW.merchant_id, NEW.stock_item_id, crossing, v_available, v_threshold
  FROM
    (
      VALUES
        ('RUN_LOW', v_before = 'PLENTY'),
        ('BACK', v_before = 'OUT')
    ) AS c (crossing, crossed)
  WHERE crossed;
  RETURN NULL;
END;
$$;

CREATE TRIGGER watch_stock
AFTER INSERT OR UPDATE OF available ON inventory.stock_level
FOR EACH ROW
EXECUTE FUNCTION notification.watch_stock();

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

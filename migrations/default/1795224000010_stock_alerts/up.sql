-- Who wants to hear when something is available again.

CREATE TABLE inventory.stock_alert (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  email citext NOT NULL CONSTRAINT stock_alert_email_check CHECK (email <> ''),
  -- The shopper who asked for it, when one was signed in.
  customer_id uuid,
  -- The transitions are the state machine's (actions/src/inventory/SPEC.md).
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'NOTIFIED', 'CANCELLED')),
  notified_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE SET NULL (customer_id)
);
-- Nobody waits twice for the same thing.
CREATE UNIQUE INDEX stock_alert_open_key ON inventory.stock_alert (merchant_id, stock_item_id, email) WHERE status = 'PENDING';
CREATE INDEX stock_alert_created_at ON inventory.stock_alert (merchant_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON inventory.stock_alert
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- Whether a stock item can be bought: there is some, and its product is for sale.
CREATE FUNCTION inventory.is_available(p_merchant_id uuid, p_stock_item_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (
    SELECT FROM inventory.sku_inventory s
    JOIN catalog.product p ON p.merchant_id = s.merchant_id AND p.id = s.product_id
    WHERE s.merchant_id = p_merchant_id AND s.stock_item_id = p_stock_item_id AND s.sku IS NOT NULL AND s.available > 0
      AND p.status = 'ACTIVE' AND p.deleted_at IS NULL
  )
$$;

-- Waits for a SKU. Asked again, it answers with the alert that is open.
-- p_customer_id: the signed-in shopper, for whom only products for sale exist, and who is told at the own verified address alone.
-- p_most: alerts that may wait for one address.
-- {outcome: 'subscribed', alertId, status, estimatedDate} | {outcome: 'unknown_sku' | 'available' | 'not_own_email' | 'too_many'}
CREATE FUNCTION inventory.subscribe_stock_alert(
  p_merchant_id uuid,
  p_sku text,
  p_email citext,
  p_customer_id uuid,
  p_most integer
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_id uuid;
  v_alert inventory.stock_alert;
BEGIN
  SELECT i.id INTO v_stock_item_id
  FROM inventory.stock_item i
  JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku AND (p_customer_id IS NULL OR p.status = 'ACTIVE');
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_sku');
  END IF;
  IF inventory.is_available(p_merchant_id, v_stock_item_id) THEN
    RETURN jsonb_build_object('outcome', 'available');
  END IF;
  -- A shopper who could name any address would have the shop mail strangers.
  IF p_customer_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM crm.customer c
    WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND c.email = p_email AND c.email_verified
  ) THEN
    RETURN jsonb_build_object('outcome', 'not_own_email');
  END IF;
  IF (
    SELECT count(*) FROM (
      SELECT FROM inventory.stock_alert a
      WHERE a.merchant_id = p_merchant_id AND a.email = p_email AND a.status = 'PENDING' AND a.stock_item_id <> v_stock_item_id
      LIMIT p_most
    ) open_alerts
  ) >= p_most THEN
    RETURN jsonb_build_object('outcome', 'too_many');
  END IF;
  INSERT INTO inventory.stock_alert AS a (merchant_id, stock_item_id, email, customer_id)
  VALUES (p_merchant_id, v_stock_item_id, p_email, p_customer_id)
  ON CONFLICT (merchant_id, stock_item_id, email) WHERE status = 'PENDING'
    DO UPDATE SET customer_id = coalesce(a.customer_id, excluded.customer_id)
  RETURNING * INTO v_alert;
  RETURN jsonb_build_object(
    'outcome', 'subscribed',
    'alertId', v_alert.id,
    'status', v_alert.status,
    'estimatedDate', (
      SELECT min(n.expected_date) FROM inventory.incoming_stock n
      WHERE n.merchant_id = p_merchant_id AND n.stock_item_id = v_stock_item_id AND n.awaited IS NOT NULL
    )
  );
END
$$;

-- Ends a wait. Whoever has the alert's id may: it stands in the mails about it.
-- p_customer_id: only this customer's alerts exist.
-- {outcome: 'cancelled', alertId, status} | {outcome: 'unknown'} | {outcome: 'refused', status}
CREATE FUNCTION inventory.cancel_stock_alert(
  p_merchant_id uuid,
  p_alert_id uuid,
  p_customer_id uuid,
  p_from text[],
  p_to text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_alert inventory.stock_alert;
BEGIN
  SELECT * INTO v_alert FROM inventory.stock_alert a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_alert_id AND (p_customer_id IS NULL OR a.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF NOT v_alert.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'status', v_alert.status);
  END IF;
  UPDATE inventory.stock_alert a SET status = p_to, cancelled_at = now()
  WHERE a.merchant_id = p_merchant_id AND a.id = p_alert_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'alertId', p_alert_id, 'status', p_to);
END
$$;

-- Claims up to p_limit open alerts of a stock item that is available again, each exactly once: whoever gets an alert here has
-- to send its mail, in the same transaction as far as it writes the mail down. Nothing while the item isn't available.
CREATE FUNCTION inventory.claim_stock_alerts(p_merchant_id uuid, p_stock_item_id uuid, p_limit integer)
RETURNS SETOF inventory.stock_alert
LANGUAGE sql VOLATILE
AS $$
  UPDATE inventory.stock_alert a SET status = 'NOTIFIED', notified_at = now()
  WHERE (a.merchant_id, a.id) IN (
    SELECT x.merchant_id, x.id FROM inventory.stock_alert x
    WHERE x.merchant_id = p_merchant_id AND x.stock_item_id = p_stock_item_id AND x.status = 'PENDING'
      AND inventory.is_available(p_merchant_id, p_stock_item_id)
    ORDER BY x.created_at
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED
  )
  RETURNING *
$$;

-- Stock items with open alerts that are available again: what a job looks through, should an event have been missed.
CREATE FUNCTION inventory.stock_items_back(p_limit integer) RETURNS TABLE (merchant_id uuid, stock_item_id uuid)
LANGUAGE sql STABLE
AS $$
  SELECT DISTINCT a.merchant_id, a.stock_item_id
  FROM inventory.stock_alert a
  WHERE a.status = 'PENDING' AND inventory.is_available(a.merchant_id, a.stock_item_id)
  LIMIT p_limit
$$;

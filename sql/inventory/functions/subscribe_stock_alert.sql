-- answers:
--   subscribed {alertId: uuid, status: inventory.stock_alert.status, estimatedDate: date | null}
--   | unknown_sku {}
--   | has_variants {}
--   | available {}
--   | not_own_email {}
--   | too_many {}
-- nullable: p_customer_id
CREATE FUNCTION inventory.subscribe_stock_alert(
  p_merchant_id uuid,
  p_sku text,
  p_email citext,
  p_customer_id uuid,
  p_most integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_id uuid;
  v_is_sellable boolean;
  v_alert inventory.stock_alert;
BEGIN
  SELECT i.id, i.is_sellable
  INTO v_stock_item_id, v_is_sellable
  FROM
    inventory.stock_item i
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku AND (p_customer_id IS NULL OR p.status = 'ACTIVE');
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_sku');
  END IF;
  IF NOT v_is_sellable THEN
    RETURN jsonb_build_object('outcome', 'has_variants');
  END IF;
  IF inventory.is_available(p_merchant_id, v_stock_item_id) THEN
    RETURN jsonb_build_object('outcome', 'available');
  END IF;
  -- A shopper who could name any address would have the shop mail strangers.
  IF
    p_customer_id IS NOT NULL
    AND NOT EXISTS (
      SELECT
      FROM crm.customer c
      WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND c.email = p_email AND c.email_verified
    )
  THEN
    RETURN jsonb_build_object('outcome', 'not_own_email');
  END IF;
  IF
    (
      SELECT count(*)
      FROM
        (
          SELECT
          FROM inventory.stock_alert a
          WHERE
            a.merchant_id = p_merchant_id
            AND a.email = p_email
            AND a.status = 'PENDING'
            AND a.stock_item_id <> v_stock_item_id
          LIMIT p_most
        ) open_alerts
    ) >= p_most
  THEN
    RETURN jsonb_build_object('outcome', 'too_many');
  END IF;
  INSERT INTO inventory.stock_alert AS a (merchant_id, stock_item_id, email, customer_id)
  VALUES (p_merchant_id, v_stock_item_id, p_email, p_customer_id)
  ON CONFLICT (merchant_id, stock_item_id, email) WHERE status = 'PENDING' DO UPDATE
    SET customer_id = coalesce(a.customer_id, excluded.customer_id)
  RETURNING *
  INTO v_alert;
  RETURN jsonb_build_object(
    'outcome',
    'subscribed',
    'alertId',
    v_alert.id,
    'status',
    v_alert.status,
    'estimatedDate',
    (
      SELECT min(n.expected_date)
      FROM inventory.incoming_stock n
      WHERE n.merchant_id = p_merchant_id AND n.stock_item_id = v_stock_item_id AND n.awaited IS NOT NULL
    )
  );
END;
$$;

-- All that the platform promises of an order: the order with its number, lines, addresses and fulfillment, its history,
-- the reservation, the stock ledger, the audit log, the event and the record of the Idempotency-Key. It is written for
-- orders of known products alone: no promotions, taxes, shipping or variants, and none of the refusals but that of stock.
--
-- The number is taken last. Only the rows that need it, and the commit, are written while its lock is held.
CREATE FUNCTION order_limit.place_promised(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_product_ids uuid[],
  p_quantities integer[],
  p_key text
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_id uuid := platform.uuid_v7();
  v_address_id uuid := platform.uuid_v7();
  v_reservation_id uuid := platform.uuid_v7();
  v_subtotal bigint;
BEGIN
  INSERT INTO order_limit.idempotency_record (merchant_id, caller, key, operation, fingerprint, response, record_ids)
  VALUES
    (
      p_merchant_id,
      'merchant',
      p_key,
      'createOrder',
      md5(p_product_ids::text || p_quantities::text || p_customer_id::text),
      jsonb_build_object('id', v_order_id),
      ARRAY[v_order_id]
    )
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN (
      SELECT (r.response ->> 'id')::uuid
      FROM order_limit.idempotency_record r
      WHERE r.merchant_id = p_merchant_id AND r.caller = 'merchant' AND r.key = p_key AND r.part = ''
    );
  END IF;
  WITH
    wanted AS (
      SELECT l.stock_item_id, l.warehouse_id, p.id AS product_id, p.price, p.name, i.sku, w.quantity, w.position
      FROM
        unnest(p_product_ids, p_quantities) WITH ORDINALITY AS w (product_id, quantity, position)
        JOIN catalog.product p ON p.merchant_id = p_merchant_id AND p.id = w.product_id AND p.status = 'ACTIVE'
        JOIN inventory.stock_item i
          ON i.merchant_id = p_merchant_id AND i.product_id = w.product_id AND i.variant_id IS NULL
        JOIN order_limit.stock_level l ON l.merchant_id = p_merchant_id AND l.stock_item_id = i.id
      ORDER BY l.stock_item_id
      FOR NO KEY UPDATE OF l
    ),
    taken AS (
      UPDATE order_limit.stock_level l
      SET
        available = l.available - w.quantity,
        reserved = l.reserved + w.quantity,
        updated_at = now()
      FROM wanted w
      WHERE
        l.merchant_id = p_merchant_id
        AND l.stock_item_id = w.stock_item_id
        AND l.warehouse_id = w.warehouse_id
      RETURNING w.*, l.available + l.reserved AS on_hand, l.reserved
    ),
    ledger AS (
      INSERT INTO order_limit.stock_movement
        (
          merchant_id,
          stock_item_id,
          warehouse_id,
          product_id,
          kind,
          on_hand_delta,
          reserved_delta,
          on_hand,
          reserved,
          reason,
          reference_type,
          reference_id
        )
      SELECT
        p_merchant_id,
        t.stock_item_id,
        t.warehouse_id,
        t.product_id,
        'RESERVATION',
        0,
        t.quantity,
        t.on_hand,
        t.reserved,
        'Reserved',
        'ORDER',
        v_order_id
      FROM taken t
    ),
    reservation AS (
      INSERT INTO order_limit.reservation (merchant_id, id, order_id, expires_at)
      VALUES (p_merchant_id, v_reservation_id, v_order_id, now() + INTERVAL '1 hour')
    ),
    reservation_lines AS (
      INSERT INTO order_limit.reservation_line (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
      SELECT p_merchant_id, v_reservation_id, t.stock_item_id, t.warehouse_id, t.quantity
      FROM taken t
    ),
    lines AS (
      INSERT INTO order_limit.order_item
        (merchant_id, order_id, position, product_id, quantity, price, subtotal, sku, product_name)
      SELECT
        p_merchant_id,
        v_order_id,
        t.position,
        t.product_id,
        t.quantity,
        t.price,
        t.price * t.quantity,
        t.sku,
        t.name
      FROM taken t
      RETURNING subtotal
    )
  SELECT sum(l.subtotal)
  INTO v_subtotal
  FROM lines l;
  WITH
    address AS (
      INSERT INTO order_limit.order_address (merchant_id, id, order_id, line1, city, state, postal_code, country)
      VALUES (p_merchant_id, v_address_id, v_order_id, '1 Main Street', 'Springfield', 'IL', '62701', 'US')
    ),
    fulfillment AS (
      INSERT INTO order_limit.fulfillment (merchant_id, order_id)
      VALUES (p_merchant_id, v_order_id)
    ),
    history AS (
      INSERT INTO order_limit.history_entry (merchant_id, order_id, type, to_status, amount, actor)
      VALUES (p_merchant_id, v_order_id, 'PLACED', 'PENDING', v_subtotal, 'MERCHANT')
    )
  INSERT INTO order_limit.audit_entry (merchant_id, actor_kind, source, operation, target_ids, outcome)
  VALUES (p_merchant_id, 'KEY', 'CONTRACT', 'createOrder', ARRAY[p_customer_id, v_order_id], 'DONE');
  WITH
    number AS (
      UPDATE order_limit.counter c
      SET last_number = c.last_number + 1
      WHERE c.merchant_id = p_merchant_id
      RETURNING c.last_number
    ),
    placed AS (
      INSERT INTO order_limit.order
        (
          merchant_id,
          id,
          order_number,
          customer_id,
          currency,
          subtotal,
          tax,
          shipping,
          discount,
          total,
          shipping_address_id
        )
      SELECT
        p_merchant_id,
        v_order_id,
        'ORD-' || lpad(n.last_number::text, 8, '0'),
        p_customer_id,
        'USD',
        v_subtotal,
        0,
        0,
        0,
        v_subtotal,
        v_address_id
      FROM number n
      RETURNING *
    )
  INSERT INTO order_limit.change (merchant_id, source, after)
  SELECT p_merchant_id, 'order', to_jsonb(o)
  FROM placed o;
  RETURN v_order_id;
END;
$$;

-- Shipments: which units of an order are packed, on their way or delivered. An order has as many as it takes;
-- ordering.fulfillment sums them up.

CREATE TABLE ordering.shipment (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'PACKED' CHECK (status IN ('PACKED', 'SHIPPED', 'DELIVERED', 'CANCELLED')),
  carrier text,
  tracking_number text,
  shipped_at timestamptz,
  estimated_delivery_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT shipment_order_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order ON DELETE CASCADE
);
CREATE INDEX shipment_order ON ordering.shipment (merchant_id, order_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON ordering.shipment
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE ordering.shipment_line (
  merchant_id uuid NOT NULL,
  shipment_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (merchant_id, shipment_id, order_item_id),
  CONSTRAINT shipment_line_shipment_fkey FOREIGN KEY (merchant_id, shipment_id) REFERENCES ordering.shipment ON DELETE CASCADE,
  CONSTRAINT shipment_line_item_fkey FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item ON DELETE CASCADE
);
CREATE INDEX shipment_line_item ON ordering.shipment_line (merchant_id, order_item_id);

-- What became of a line's units. Each unit is refunded, sent and returned once, whoever asks for it at the same time.
ALTER TABLE ordering.order_item
  -- In a shipment, from being packed on.
  ADD COLUMN packed_quantity integer NOT NULL DEFAULT 0,
  -- Those of them that have left.
  ADD COLUMN fulfilled_quantity integer NOT NULL DEFAULT 0,
  -- Will never be sent, because they were refunded before.
  ADD COLUMN cancelled_quantity integer NOT NULL DEFAULT 0,
  -- Refunded, sent or not.
  ADD COLUMN refunded_quantity integer NOT NULL DEFAULT 0,
  -- In returns that were neither rejected nor withdrawn.
  ADD COLUMN returning_quantity integer NOT NULL DEFAULT 0,
  -- Those of them that have come back.
  ADD COLUMN returned_quantity integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT order_item_sent_once CHECK (
    fulfilled_quantity >= 0 AND fulfilled_quantity <= packed_quantity
    AND cancelled_quantity >= 0 AND packed_quantity + cancelled_quantity <= quantity
  ),
  ADD CONSTRAINT order_item_refunded_once CHECK (
    cancelled_quantity <= refunded_quantity AND refunded_quantity - cancelled_quantity <= fulfilled_quantity
  ),
  ADD CONSTRAINT order_item_returned_once CHECK (
    returned_quantity >= 0 AND returned_quantity <= returning_quantity AND returning_quantity <= fulfilled_quantity
  );

CREATE FUNCTION ordering.record_shipment() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_tracking text := nullif(concat_ws(' ', NEW.carrier, NEW.tracking_number), '');
BEGIN
  PERFORM ordering.record(
    NEW.merchant_id, NEW.order_id,
    CASE WHEN TG_OP = 'UPDATE' AND OLD.status = NEW.status THEN 'SHIPMENT_CHANGED' ELSE 'SHIPMENT_' || NEW.status END,
    p_note => v_tracking, p_subject_id => NEW.id, p_staff_only => NEW.status IN ('PACKED', 'CANCELLED'),
    p_at => CASE
      WHEN TG_OP = 'INSERT' THEN coalesce(NEW.delivered_at, NEW.shipped_at, NEW.created_at) ELSE clock_timestamp()
    END
  );
  RETURN NULL;
END
$$;
CREATE TRIGGER record_shipment AFTER INSERT OR UPDATE OF status, carrier, tracking_number, estimated_delivery_at
  ON ordering.shipment FOR EACH ROW EXECUTE FUNCTION ordering.record_shipment();

-- Ends the hold of some of the units that an order's reservation holds, from the warehouses by priority: CONSUMED, they
-- have left the shelf, or RELEASED, they can be sold again. The rest is put aside meanwhile, as a reservation of nobody,
-- so that what ends is always a whole reservation.
CREATE FUNCTION inventory.end_part_of_reservation(
  p_merchant_id uuid,
  p_order_id uuid,
  p_stock_item_ids uuid[],
  p_quantities integer[],
  p_status text
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  v_rest_id uuid := platform.uuid_v7();
BEGIN
  IF v_reservation.status IS DISTINCT FROM 'COMMITTED' THEN
    RAISE EXCEPTION 'order % has no committed reservation', p_order_id;
  END IF;
  INSERT INTO inventory.reservation (merchant_id, id, status, expires_at)
  VALUES (p_merchant_id, v_rest_id, 'COMMITTED', v_reservation.expires_at);
  WITH part AS (
    SELECT
      h.stock_item_id,
      h.warehouse_id,
      h.quantity - least(h.quantity, greatest(0, coalesce(w.quantity, 0) - coalesce(sum(h.quantity) OVER before, 0)))::integer AS rest
    FROM inventory.reservation_line h
    JOIN inventory.warehouse p ON p.merchant_id = h.merchant_id AND p.id = h.warehouse_id
    LEFT JOIN unnest(p_stock_item_ids, p_quantities) AS w(stock_item_id, quantity) ON w.stock_item_id = h.stock_item_id
    WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
    WINDOW before AS (
      PARTITION BY h.stock_item_id ORDER BY p.priority, h.warehouse_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  ),
  moved AS (
    INSERT INTO inventory.reservation_line (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
    SELECT p_merchant_id, v_rest_id, part.stock_item_id, part.warehouse_id, part.rest FROM part WHERE part.rest > 0
  ),
  gone AS (
    DELETE FROM inventory.reservation_line h USING part
    WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
      AND h.stock_item_id = part.stock_item_id AND h.warehouse_id = part.warehouse_id AND h.quantity = part.rest
  )
  UPDATE inventory.reservation_line h SET quantity = h.quantity - part.rest FROM part
  WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
    AND h.stock_item_id = part.stock_item_id AND h.warehouse_id = part.warehouse_id
    AND part.rest > 0 AND part.rest < h.quantity;
  IF (
    SELECT coalesce(sum(h.quantity), 0) FROM inventory.reservation_line h
    WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
  ) <> (SELECT sum(q) FROM unnest(p_quantities) q) THEN
    RAISE EXCEPTION 'the reservation of order % does not hold what is to leave it', p_order_id;
  END IF;

  CASE p_status
    WHEN 'CONSUMED' THEN PERFORM inventory.consume_reservation(p_merchant_id, p_order_id);
    WHEN 'RELEASED' THEN PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
  END CASE;
  IF EXISTS (
    SELECT FROM inventory.reservation_line h WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_rest_id
  ) THEN
    UPDATE inventory.reservation r SET order_id = p_order_id WHERE r.merchant_id = p_merchant_id AND r.id = v_rest_id;
  ELSE
    DELETE FROM inventory.reservation r WHERE r.merchant_id = p_merchant_id AND r.id = v_rest_id;
  END IF;
END
$$;

-- Puts units that an order had sent on the shelf again. The caller has locked the levels.
-- {outcome: 'changed'} | {outcome: 'invalid', refusals: [{field, reason}]} | {outcome: 'out_of_range'}
CREATE FUNCTION inventory.take_back(
  p_merchant_id uuid,
  p_order_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_quantity integer,
  p_reason text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_max CONSTANT integer := 999999;
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id);
  v_level inventory.stock_level;
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_level := inventory.lock_level(
    p_merchant_id,
    (SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku),
    inventory.warehouse_or_first(p_merchant_id, p_warehouse_id)
  );
  IF v_level.available + p_quantity > c_max THEN
    RETURN jsonb_build_object('outcome', 'out_of_range');
  END IF;
  PERFORM inventory.because('RETURN', p_reason, 'ORDER', p_order_id, NULL);
  UPDATE inventory.stock_level l SET available = l.available + p_quantity
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = v_level.stock_item_id AND l.warehouse_id = v_level.warehouse_id;
  RETURN jsonb_build_object('outcome', 'changed');
END
$$;

-- Moves an order if its status allows it. p_move: {from, to}, of the state machine.
CREATE FUNCTION ordering.move_order(p_merchant_id uuid, p_order_id uuid, p_move jsonb) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order o SET status = p_move ->> 'to'
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND p_move -> 'from' ? o.status AND o.status <> p_move ->> 'to';
  RETURN FOUND;
END
$$;

-- Sums an order's shipments up after one of them, or the order, has changed, and moves the order along: it is prepared
-- once something is packed, shipped once all that is to be sent has left, delivered once all of it has arrived.
-- p_moves: the order's transitions by event.
CREATE FUNCTION ordering.follow_shipments(p_merchant_id uuid, p_order_id uuid, p_moves jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_due bigint;
  v_packed bigint;
  v_left bigint;
  v_returned bigint;
  v_delivered bigint;
  v_latest ordering.shipment;
BEGIN
  SELECT
    sum(i.quantity - i.cancelled_quantity), sum(i.packed_quantity), sum(i.fulfilled_quantity), sum(i.returned_quantity)
  INTO v_due, v_packed, v_left, v_returned
  FROM ordering.order_item i WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id;
  SELECT coalesce(sum(l.quantity), 0) INTO v_delivered
  FROM ordering.shipment s
  JOIN ordering.shipment_line l ON l.merchant_id = s.merchant_id AND l.shipment_id = s.id
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status = 'DELIVERED';
  SELECT * INTO v_latest FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status <> 'CANCELLED'
  ORDER BY s.shipped_at DESC NULLS LAST, s.created_at DESC, s.id DESC
  LIMIT 1;
  UPDATE ordering.fulfillment f
  SET
    status = CASE
      WHEN v_left > 0 AND v_left = v_due AND v_returned = v_left THEN 'RETURNED'
      WHEN v_packed = 0 THEN 'UNFULFILLED'
      WHEN v_packed < v_due THEN 'PARTIAL'
      WHEN v_left < v_due THEN 'FULFILLED'
      WHEN v_delivered < v_due THEN 'SHIPPED'
      ELSE 'DELIVERED'
    END,
    carrier = v_latest.carrier,
    tracking_number = v_latest.tracking_number,
    shipped_at = v_latest.shipped_at,
    estimated_delivery_at = v_latest.estimated_delivery_at,
    delivered_at = CASE WHEN v_packed > 0 AND v_delivered = v_due THEN coalesce(f.delivered_at, now()) END
  WHERE f.merchant_id = p_merchant_id AND f.order_id = p_order_id;
  IF v_packed > 0 THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'fulfill');
  END IF;
  IF v_left > 0 AND v_left = v_due THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'ship');
  END IF;
  IF v_delivered > 0 AND v_delivered = v_due THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'deliver');
  END IF;
END
$$;

-- Lets a packed shipment go: its units leave the shelf. The caller has locked the order and seen the shipment's status.
CREATE FUNCTION ordering.send(p_merchant_id uuid, p_order_id uuid, p_shipment_id uuid, p_to text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_ids uuid[];
  v_quantities integer[];
BEGIN
  UPDATE ordering.shipment s SET status = p_to, shipped_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id;
  UPDATE ordering.order_item i SET fulfilled_quantity = i.fulfilled_quantity + l.quantity
  FROM ordering.shipment_line l
  WHERE l.merchant_id = p_merchant_id AND l.shipment_id = p_shipment_id
    AND i.merchant_id = l.merchant_id AND i.id = l.order_item_id;
  SELECT array_agg(k.id), array_agg(l.quantity) INTO v_stock_item_ids, v_quantities
  FROM ordering.shipment_line l
  JOIN ordering.order_item i ON i.merchant_id = l.merchant_id AND i.id = l.order_item_id
  JOIN inventory.stock_item k
    ON k.merchant_id = i.merchant_id AND k.product_id = i.product_id AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE l.merchant_id = p_merchant_id AND l.shipment_id = p_shipment_id;
  PERFORM inventory.end_part_of_reservation(p_merchant_id, p_order_id, v_stock_item_ids, v_quantities, 'CONSUMED');
END
$$;

-- Packs units of an order, and ships them at once when p_ship gives the shipment's move. An order whose money is awaited can
-- be sent before it is there: it stays PENDING until then, its stock is its own from its first shipment on.
-- p_lines: [{id, quantity}], NULL for all that is not packed yet. p_shipment: {carrier, trackingNumber, estimatedDeliveryAt}.
-- {outcome: 'advanced', orderId, shipmentId} | {outcome: 'unknown_order'} | {outcome: 'order_refused', status} |
-- {outcome: 'invalid', refusals}
CREATE FUNCTION ordering.fulfill_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines jsonb,
  p_shipment jsonb,
  p_ship jsonb,
  p_moves jsonb
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_awaited boolean;
  v_shipment_id uuid := platform.uuid_v7();
  v_refusals jsonb;
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  v_awaited := v_order.status = 'PENDING' AND (payment.open_payment(p_merchant_id, p_order_id)).awaited IS TRUE;
  IF NOT (p_moves #> '{fulfill,from}' ? v_order.status OR v_awaited) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  SELECT coalesce(jsonb_agg(r ORDER BY r.field), '[]') INTO v_refusals FROM (
    SELECT
      CASE WHEN i.id IS NULL THEN format('items.%s.orderItemId', w.position - 1) ELSE format('items.%s.quantity', w.position - 1) END
        AS field,
      CASE WHEN i.id IS NULL THEN 'unknown_item' ELSE 'more_than_left' END AS reason,
      i.quantity - i.packed_quantity - i.cancelled_quantity AS left
    FROM ROWS FROM (jsonb_to_recordset(coalesce(p_lines, '[]')) AS (id uuid, quantity integer))
      WITH ORDINALITY AS w(id, quantity, position)
    LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
    WHERE i.id IS NULL OR w.quantity > i.quantity - i.packed_quantity - i.cancelled_quantity
    UNION ALL
    SELECT 'items', 'nothing_left', 0
    WHERE p_lines IS NULL AND NOT EXISTS (
      SELECT FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
        AND i.quantity > i.packed_quantity + i.cancelled_quantity
    )
  ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  IF v_awaited THEN
    PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  END IF;
  INSERT INTO ordering.shipment (merchant_id, id, order_id, carrier, tracking_number, estimated_delivery_at)
  VALUES (
    p_merchant_id, v_shipment_id, p_order_id, p_shipment ->> 'carrier', p_shipment ->> 'trackingNumber',
    (p_shipment ->> 'estimatedDeliveryAt')::timestamptz
  );
  INSERT INTO ordering.shipment_line (merchant_id, shipment_id, order_item_id, quantity)
  SELECT p_merchant_id, v_shipment_id, w.id, w.quantity
  FROM jsonb_to_recordset(p_lines) AS w(id uuid, quantity integer)
  WHERE p_lines IS NOT NULL
  UNION ALL
  SELECT p_merchant_id, v_shipment_id, i.id, i.quantity - i.packed_quantity - i.cancelled_quantity
  FROM ordering.order_item i
  WHERE p_lines IS NULL AND i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    AND i.quantity > i.packed_quantity + i.cancelled_quantity;
  UPDATE ordering.order_item i SET packed_quantity = i.packed_quantity + l.quantity
  FROM ordering.shipment_line l
  WHERE l.merchant_id = p_merchant_id AND l.shipment_id = v_shipment_id
    AND i.merchant_id = l.merchant_id AND i.id = l.order_item_id;
  IF p_ship IS NOT NULL THEN
    PERFORM ordering.send(p_merchant_id, p_order_id, v_shipment_id, p_ship ->> 'to');
  END IF;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id, 'shipmentId', v_shipment_id);
END
$$;

-- Takes packed shipments apart again: their units are on the shelf, still the order's own.
CREATE FUNCTION ordering.unpack(p_merchant_id uuid, p_shipment_ids uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order_item i SET packed_quantity = i.packed_quantity - l.quantity
  FROM (
    SELECT x.order_item_id, sum(x.quantity) AS quantity FROM ordering.shipment_line x
    WHERE x.merchant_id = p_merchant_id AND x.shipment_id = ANY (p_shipment_ids)
    GROUP BY x.order_item_id
  ) l
  WHERE i.merchant_id = p_merchant_id AND i.id = l.order_item_id;
  UPDATE ordering.shipment s SET status = 'CANCELLED' WHERE s.merchant_id = p_merchant_id AND s.id = ANY (p_shipment_ids);
END
$$;

CREATE FUNCTION ordering.packed_shipments(p_merchant_id uuid, p_order_id uuid) RETURNS uuid[]
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(array_agg(s.id), '{}') FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status = 'PACKED'
$$;

-- Moves a shipment on, or changes how it travels. p_event: ship, deliver, cancel or update; p_move: the machine's {from, to}.
-- {outcome: 'advanced', orderId, shipmentId} | {outcome: 'unknown_shipment'} |
-- {outcome: 'shipment_refused', orderId, status}
CREATE FUNCTION ordering.advance_shipment(
  p_merchant_id uuid,
  p_shipment_id uuid,
  p_event text,
  p_move jsonb,
  p_shipment jsonb,
  p_moves jsonb
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_shipment ordering.shipment;
BEGIN
  PERFORM FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id
    AND o.id = (SELECT s.order_id FROM ordering.shipment s WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id)
  FOR UPDATE;
  SELECT * INTO v_shipment FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_shipment');
  END IF;
  IF NOT p_move -> 'from' ? v_shipment.status THEN
    RETURN jsonb_build_object('outcome', 'shipment_refused', 'orderId', v_shipment.order_id, 'status', v_shipment.status);
  END IF;
  UPDATE ordering.shipment s
  SET
    carrier = coalesce(p_shipment ->> 'carrier', s.carrier),
    tracking_number = coalesce(p_shipment ->> 'trackingNumber', s.tracking_number),
    estimated_delivery_at = coalesce((p_shipment ->> 'estimatedDeliveryAt')::timestamptz, s.estimated_delivery_at)
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id AND jsonb_strip_nulls(p_shipment) <> '{}';
  CASE p_event
    WHEN 'ship' THEN PERFORM ordering.send(p_merchant_id, v_shipment.order_id, p_shipment_id, p_move ->> 'to');
    WHEN 'cancel' THEN PERFORM ordering.unpack(p_merchant_id, ARRAY[p_shipment_id]);
    WHEN 'deliver' THEN
      UPDATE ordering.shipment s SET status = p_move ->> 'to', delivered_at = now()
      WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id;
    WHEN 'update' THEN NULL;
  END CASE;
  PERFORM ordering.follow_shipments(p_merchant_id, v_shipment.order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', v_shipment.order_id, 'shipmentId', p_shipment_id);
END
$$;

-- All of an order's shipments that are on their way have arrived.
-- {outcome: 'advanced', orderId} | {outcome: 'unknown_order'} | {outcome: 'order_refused', status}
CREATE FUNCTION ordering.deliver_order(p_merchant_id uuid, p_order_id uuid, p_deliver jsonb, p_moves jsonb) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  -- What was sent before its money came arrives before it, too.
  IF NOT (p_moves #> '{deliver,from}' ? v_order.status OR v_order.status = 'PENDING' AND EXISTS (
    SELECT FROM ordering.shipment s
    WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND p_deliver -> 'from' ? s.status
  )) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  UPDATE ordering.shipment s SET status = p_deliver ->> 'to', delivered_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND p_deliver -> 'from' ? s.status;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id);
END
$$;

-- A paid order is being prepared.
-- {outcome: 'advanced', orderId} | {outcome: 'unknown_order'} | {outcome: 'order_refused', status}
CREATE FUNCTION ordering.process_order(p_merchant_id uuid, p_order_id uuid, p_moves jsonb) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'process') THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id);
END
$$;

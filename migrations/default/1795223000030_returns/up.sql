-- Returns: what a customer wants to send back, what the merchant says to that, what arrived, and the refund of it.

CREATE TABLE ordering.return_number_counter (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant ON DELETE CASCADE,
  last_number bigint NOT NULL DEFAULT 1000
);

CREATE TABLE ordering.order_return (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  return_number text NOT NULL,
  order_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'REQUESTED'
    CHECK (status IN ('REQUESTED', 'APPROVED', 'REJECTED', 'RECEIVED', 'REFUNDED', 'CANCELLED')),
  note text,
  rejection_reason text,
  refund_id uuid,
  received_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT order_return_number_key UNIQUE (merchant_id, return_number),
  CONSTRAINT order_return_order_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order ON DELETE CASCADE,
  CONSTRAINT order_return_refund_fkey FOREIGN KEY (merchant_id, refund_id) REFERENCES payment.refund
);
CREATE INDEX order_return_order ON ordering.order_return (merchant_id, order_id, created_at, id);
CREATE INDEX order_return_created_at ON ordering.order_return (merchant_id, created_at, id);
CREATE INDEX order_return_refund ON ordering.order_return (merchant_id, refund_id) WHERE refund_id IS NOT NULL;
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON ordering.order_return
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE ordering.return_line (
  merchant_id uuid NOT NULL,
  return_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  position integer NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  reason text NOT NULL CHECK (reason IN ('DAMAGED', 'WRONG_ITEM', 'NOT_AS_DESCRIBED', 'DOES_NOT_FIT', 'CHANGED_MIND', 'OTHER')),
  -- Of the units, those that are for sale again.
  restocked_quantity integer NOT NULL DEFAULT 0 CHECK (restocked_quantity BETWEEN 0 AND quantity),
  PRIMARY KEY (merchant_id, return_id, order_item_id),
  CONSTRAINT return_line_return_fkey FOREIGN KEY (merchant_id, return_id) REFERENCES ordering.order_return ON DELETE CASCADE,
  CONSTRAINT return_line_item_fkey FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item ON DELETE CASCADE
);
CREATE INDEX return_line_item ON ordering.return_line (merchant_id, order_item_id);

CREATE FUNCTION ordering.record_return() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.record(
    NEW.merchant_id, NEW.order_id, 'RETURN_' || NEW.status, p_note => coalesce(NEW.rejection_reason, NEW.return_number),
    p_subject_id => NEW.id, p_at => CASE WHEN TG_OP = 'INSERT' THEN NEW.created_at ELSE clock_timestamp() END
  );
  RETURN NULL;
END
$$;
CREATE TRIGGER record_return AFTER INSERT ON ordering.order_return
  FOR EACH ROW EXECUTE FUNCTION ordering.record_return();
CREATE TRIGGER record_return_change AFTER UPDATE OF status ON ordering.order_return
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION ordering.record_return();

-- Asks to send units back. p_lines: [{id, quantity, reason}]. p_customer_id: only this customer's orders exist.
-- {outcome: 'requested', returnId} | {outcome: 'unknown_order'} | {outcome: 'invalid', refusals}
CREATE FUNCTION ordering.request_return(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_lines jsonb,
  p_note text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return_id uuid := platform.uuid_v7();
  v_refusals jsonb;
  v_number bigint;
BEGIN
  PERFORM FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  SELECT jsonb_agg(
    jsonb_build_object(
      'field', format('items.%s.%s', w.position - 1, CASE WHEN i.id IS NULL THEN 'orderItemId' ELSE 'quantity' END),
      'reason', CASE WHEN i.id IS NULL THEN 'unknown_item' ELSE 'more_than_sent' END,
      'left', i.fulfilled_quantity - i.returning_quantity
    )
    ORDER BY w.position
  ) INTO v_refusals
  FROM ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer)) WITH ORDINALITY AS w(id, quantity, position)
  LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
  WHERE i.id IS NULL OR w.quantity > i.fulfilled_quantity - i.returning_quantity;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO ordering.return_number_counter AS c (merchant_id, last_number) VALUES (p_merchant_id, 1001)
  ON CONFLICT (merchant_id) DO UPDATE SET last_number = c.last_number + 1
  RETURNING c.last_number INTO v_number;
  INSERT INTO ordering.order_return (merchant_id, id, return_number, order_id, note)
  VALUES (p_merchant_id, v_return_id, 'RMA-' || lpad(v_number::text, 8, '0'), p_order_id, p_note);
  INSERT INTO ordering.return_line (merchant_id, return_id, order_item_id, position, quantity, reason)
  SELECT p_merchant_id, v_return_id, w.id, w.position - 1, w.quantity, w.reason
  FROM ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer, reason text))
    WITH ORDINALITY AS w(id, quantity, reason, position);
  UPDATE ordering.order_item i SET returning_quantity = i.returning_quantity + l.quantity
  FROM ordering.return_line l
  WHERE l.merchant_id = p_merchant_id AND l.return_id = v_return_id AND i.merchant_id = l.merchant_id AND i.id = l.order_item_id;
  RETURN jsonb_build_object('outcome', 'requested', 'returnId', v_return_id);
END
$$;

-- Locks a return after its order. p_customer_id: only this customer's returns exist.
CREATE FUNCTION ordering.lock_return(p_merchant_id uuid, p_return_id uuid, p_customer_id uuid) RETURNS ordering.order_return
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return;
BEGIN
  PERFORM FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id
    AND o.id = (SELECT r.order_id FROM ordering.order_return r WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id)
    AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF FOUND THEN
    SELECT * INTO v_return FROM ordering.order_return r
    WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id FOR UPDATE;
  END IF;
  RETURN v_return;
END
$$;

-- Approves, rejects or withdraws a return. p_move: the machine's {from, to}. What is rejected or withdrawn can be asked
-- for again.
-- {outcome: 'advanced', returnId} | {outcome: 'unknown_return'} | {outcome: 'return_refused', status}
CREATE FUNCTION ordering.decide_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_customer_id uuid,
  p_move jsonb,
  p_reason text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, p_customer_id);
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF NOT p_move -> 'from' ? v_return.status THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  IF p_move ->> 'to' IN ('REJECTED', 'CANCELLED') THEN
    UPDATE ordering.order_item i SET returning_quantity = i.returning_quantity - l.quantity
    FROM ordering.return_line l
    WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND i.merchant_id = l.merchant_id AND i.id = l.order_item_id;
  END IF;
  UPDATE ordering.order_return r SET status = p_move ->> 'to', rejection_reason = p_reason
  WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
  RETURN jsonb_build_object('outcome', 'advanced', 'returnId', p_return_id);
END
$$;

-- The goods of a return have come. p_restock: [{id, quantity}] of the units that can be sold again, at p_warehouse_id or,
-- without one, where orders are served from first.
-- {outcome: 'advanced', returnId} | {outcome: 'unknown_return'} | {outcome: 'return_refused', status} |
-- {outcome: 'invalid', refusals}
CREATE FUNCTION ordering.receive_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_restock jsonb,
  p_warehouse_id uuid,
  p_move jsonb,
  p_moves jsonb
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, NULL);
  v_items uuid[];
  v_quantities integer[];
  v_refusals jsonb;
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF p_warehouse_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM inventory.warehouse w WHERE w.merchant_id = p_merchant_id AND w.id = p_warehouse_id
  ) THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
      jsonb_build_object('field', 'warehouseId', 'reason', 'unknown_warehouse')
    ));
  END IF;
  IF NOT p_move -> 'from' ? v_return.status THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  SELECT jsonb_agg(
    jsonb_build_object(
      'field', format('restock.%s.%s', w.position - 1, CASE WHEN l.order_item_id IS NULL THEN 'orderItemId' ELSE 'quantity' END),
      'reason', CASE WHEN l.order_item_id IS NULL THEN 'unknown_item' ELSE 'more_than_returned' END,
      'left', l.quantity
    )
    ORDER BY w.position
  ) INTO v_refusals
  FROM ROWS FROM (jsonb_to_recordset(p_restock) AS (id uuid, quantity integer)) WITH ORDINALITY AS w(id, quantity, position)
  LEFT JOIN ordering.return_line l ON l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND l.order_item_id = w.id
  WHERE l.order_item_id IS NULL OR w.quantity > l.quantity;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  SELECT coalesce(array_agg(w.id ORDER BY w.position), '{}'), coalesce(array_agg(w.quantity ORDER BY w.position), '{}')
  INTO v_items, v_quantities
  FROM ROWS FROM (jsonb_to_recordset(p_restock) AS (id uuid, quantity integer)) WITH ORDINALITY AS w(id, quantity, position);
  PERFORM inventory.lock_levels(
    p_merchant_id, (ordering.stock_units(p_merchant_id, v_items, v_quantities)).stock_item_ids
  );
  v_refusals := ordering.restock(
    p_merchant_id, v_return.order_id, v_items, v_quantities, p_warehouse_id, 'Return ' || v_return.return_number
  );
  IF v_refusals IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'CG001', MESSAGE = 'stock can not take the units back', DETAIL = v_refusals::text;
  END IF;
  UPDATE ordering.return_line l SET restocked_quantity = w.quantity
  FROM unnest(v_items, v_quantities) AS w(id, quantity)
  WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND l.order_item_id = w.id;
  UPDATE ordering.order_item i SET returned_quantity = i.returned_quantity + l.quantity
  FROM ordering.return_line l
  WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND i.merchant_id = l.merchant_id AND i.id = l.order_item_id;
  UPDATE ordering.order_return r SET status = p_move ->> 'to', received_at = now()
  WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
  PERFORM ordering.follow_shipments(p_merchant_id, v_return.order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'returnId', p_return_id);
EXCEPTION
  -- By now something may be written, which this undoes.
  WHEN SQLSTATE 'CG001' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
      CASE WHEN v_refusals -> 'refusals' @> '[{"field": "warehouseId"}]'
        THEN jsonb_build_object('field', 'warehouseId', 'reason', 'unknown_warehouse')
        ELSE jsonb_build_object(
          'field', format('restock.%s.orderItemId', v_refusals ->> 'position'), 'reason', 'not_restockable'
        )
      END
    ));
END
$$;

-- Refunds what came back: what ordering.refund_order answers, or {outcome: 'unknown_return'} |
-- {outcome: 'return_refused', status}. The return is REFUNDED when the money has gone back.
CREATE FUNCTION ordering.refund_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_shipping boolean,
  p_amount bigint,
  p_move jsonb,
  p_payment_from text[],
  p_moves jsonb
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, NULL);
  v_outcome jsonb;
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF NOT p_move -> 'from' ? v_return.status OR v_return.refund_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  v_outcome := ordering.refund_order(
    p_merchant_id, v_return.order_id,
    (
      SELECT jsonb_agg(jsonb_build_object('id', l.order_item_id, 'quantity', l.quantity) ORDER BY l.position)
      FROM ordering.return_line l WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id
    ),
    p_shipping, p_amount, 'Return ' || v_return.return_number, true, p_payment_from, p_moves
  );
  IF v_outcome ->> 'outcome' = 'begun' THEN
    UPDATE ordering.order_return r SET refund_id = (v_outcome ->> 'refundId')::uuid
    WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
    v_outcome := v_outcome || jsonb_build_object('returnId', p_return_id);
  END IF;
  RETURN v_outcome;
END
$$;

-- A refund has gone through, and with it the return that it was for. When it was the last of the money, the order is
-- REFUNDED and nothing more is sent.
CREATE FUNCTION ordering.follow_refund(
  p_merchant_id uuid,
  p_order_id uuid,
  p_refund_id uuid,
  p_all boolean,
  p_moves jsonb
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order_return r SET status = 'REFUNDED'
  WHERE r.merchant_id = p_merchant_id AND r.refund_id = p_refund_id AND r.status = 'RECEIVED';
  IF p_all AND ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'refund') THEN
    PERFORM ordering.give_up_unsent(p_merchant_id, p_order_id);
    PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  END IF;
END
$$;

-- answers: requested {returnId: uuid} | unknown_order {} | invalid {refusals: ordering.refusal[]}
-- nullable: p_customer_id, p_note
CREATE FUNCTION ordering.request_return(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_lines jsonb,
  p_note text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return_id uuid := platform.uuid_v7();
  v_refusals jsonb;
  v_number bigint;
BEGIN
  PERFORM
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'field',
        format(
          'items.%s.%s',
          w.position - 1,
          CASE
            WHEN i.id IS NULL THEN 'orderItemId'
            ELSE 'quantity'
          END
        ),
        'reason',
        CASE
          WHEN i.id IS NULL THEN 'unknown_item'
          ELSE 'more_than_sent'
        END,
        'left',
        ordering.sent_units_left(i)
      )
      ORDER BY w.position
    )
  INTO v_refusals
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (id, quantity, position)
    LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
  WHERE i.id IS NULL OR w.quantity > ordering.sent_units_left(i);
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO ordering.return_number_counter AS c (merchant_id, last_number)
  VALUES (p_merchant_id, 1001)
  ON CONFLICT (merchant_id) DO UPDATE SET last_number = c.last_number + 1
  RETURNING c.last_number
  INTO v_number;
  INSERT INTO ordering.order_return (merchant_id, id, return_number, order_id, note)
  VALUES (p_merchant_id, v_return_id, 'RMA-' || lpad(v_number::text, 8, '0'), p_order_id, p_note);
  INSERT INTO ordering.return_line (merchant_id, return_id, order_item_id, position, quantity, reason)
  SELECT p_merchant_id, v_return_id, w.id, w.position - 1, w.quantity, w.reason
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer, reason text)) WITH ORDINALITY AS w (
      id,
      quantity,
      reason,
      position
    );
  UPDATE ordering.order_item i
  SET returning_quantity = i.returning_quantity + l.quantity
  FROM ordering.return_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.return_id = v_return_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  RETURN jsonb_build_object('outcome', 'requested', 'returnId', v_return_id);
END;
$$;

-- answers: changed {transferId: uuid} | inventory.transfer_stays | invalid {refusals: inventory.transfer_refusal[]}
-- nullable: p_lines, p_principal
CREATE FUNCTION inventory.receive_transfer(
  p_merchant_id uuid,
  p_id uuid,
  p_lines jsonb,
  p_from text[],
  p_part text,
  p_all text,
  p_principal text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_refusal jsonb;
  v_arrived record;
  v_complete boolean;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  SELECT
    jsonb_agg(
      CASE
        WHEN n.id IS NULL THEN jsonb_build_object(
          'field',
          format('lines.%s.sku', l.position),
          'reason',
          'not_in_transfer'
        )
        ELSE jsonb_build_object(
          'field',
          format('lines.%s.quantity', l.position),
          'reason',
          'too_many',
          'awaited',
          coalesce(n.awaited, 0)
        )
      END
      ORDER BY l.position
    )
  INTO v_refusal
  FROM
    inventory.transfer_lines(p_merchant_id, p_lines) l
    LEFT JOIN inventory.incoming_stock n
      ON n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.stock_item_id = l.stock_item_id
  WHERE l.quantity > coalesce(n.awaited, 0);
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusal);
  END IF;

  PERFORM
    inventory.lock_levels(
      p_merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.transfer_line l
        WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
      )
    );
  FOR v_arrived IN SELECT n AS incoming, coalesce(l.quantity, n.awaited)::integer AS quantity
  FROM
    inventory.incoming_stock n
    LEFT JOIN inventory.transfer_lines(p_merchant_id, p_lines) l ON l.stock_item_id = n.stock_item_id
  WHERE
    n.merchant_id = p_merchant_id
    AND n.transfer_id = p_id
    AND n.awaited IS NOT NULL
    AND (p_lines IS NULL OR l.quantity IS NOT NULL)
  ORDER BY n.stock_item_id LOOP
    PERFORM inventory.shelve(v_arrived.incoming, v_arrived.quantity, p_principal);
  END LOOP;
  v_complete := NOT EXISTS (
    SELECT
    FROM inventory.incoming_stock n
    WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL
  );
  UPDATE inventory.transfer t
  SET
    status = CASE
      WHEN v_complete THEN p_all
      ELSE p_part
    END,
    received_at = CASE
      WHEN v_complete THEN now()
    END
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;

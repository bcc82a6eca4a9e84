-- answers:
--   reserved {reservationId: uuid, expiresAt: timestamptz, items: {sku: text, quantity: integer, reserved: integer}[]}
--   | insufficient {shortages: inventory.shortage[]}
--   | unknown_sku {positions: integer[]}
CREATE FUNCTION inventory.reserve(p_merchant_id uuid, p_skus text[], p_quantities integer[], p_seconds integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation_id uuid := platform.uuid_v7();
  v_expires_at timestamptz := now() + make_interval(secs => p_seconds);
  v_stock_item_ids uuid[];
  v_quantities integer[];
  v_unknown jsonb;
  v_items jsonb;
  v_shortages jsonb;
BEGIN
  SELECT jsonb_agg(w.position - 1 ORDER BY w.position)
  INTO v_unknown
  FROM unnest(p_skus) WITH ORDINALITY AS w (sku, position)
  WHERE NOT EXISTS (SELECT FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = w.sku);
  IF v_unknown IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_sku', 'positions', v_unknown);
  END IF;

  SELECT
    array_agg(m.id ORDER BY m.position),
    array_agg(m.quantity ORDER BY m.position),
    jsonb_agg(jsonb_build_object('sku', m.sku, 'quantity', m.quantity, 'reserved', m.quantity) ORDER BY m.position)
  INTO v_stock_item_ids, v_quantities, v_items
  FROM
    (
      SELECT i.id, i.sku, sum(w.quantity)::integer AS quantity, min(w.position) AS position
      FROM
        unnest(p_skus, p_quantities) WITH ORDINALITY AS w (sku, quantity, position)
        JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = w.sku
      GROUP BY i.id, i.sku
    ) m;

  v_shortages := inventory.hold(
    p_merchant_id,
    ARRAY[
      ROW(
        v_reservation_id,
        NULL,
        v_expires_at,
        inventory.principal_of(platform.current_session()),
        v_stock_item_ids,
        v_quantities
      )::inventory.claim
    ]
  );
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'reserved',
    'reservationId',
    v_reservation_id,
    'expiresAt',
    v_expires_at,
    'items',
    v_items
  );
END;
$$;

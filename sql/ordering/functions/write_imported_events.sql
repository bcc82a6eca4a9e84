-- Writes what has happened to the orders of a batch that have these ids: shipments, payments, refunds and history.
CREATE FUNCTION ordering.write_imported_events(p_merchant_id uuid, p_batch jsonb, p_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO ordering.fulfillment
    (merchant_id, order_id, status, carrier, tracking_number, shipped_at, delivered_at, created_at)
  SELECT
    p_merchant_id,
    f.order_id,
    f.status,
    f.carrier,
    f.tracking_number,
    f.shipped_at,
    f.delivered_at,
    f.created_at
  FROM jsonb_populate_recordset(NULL::ordering.fulfillment, p_batch -> 'fulfillments') f
  WHERE f.order_id = ANY (p_ids);
  INSERT INTO ordering.shipment
    (merchant_id, id, order_id, status, carrier, tracking_number, shipped_at, delivered_at, created_at)
  SELECT
    p_merchant_id,
    s.id,
    s.order_id,
    s.status,
    s.carrier,
    s.tracking_number,
    s.shipped_at,
    s.delivered_at,
    s.created_at
  FROM jsonb_populate_recordset(NULL::ordering.shipment, p_batch -> 'shipments') s
  WHERE s.order_id = ANY (p_ids);
  INSERT INTO ordering.shipment_line (merchant_id, shipment_id, order_item_id, quantity)
  SELECT p_merchant_id, l.shipment_id, l.order_item_id, l.quantity
  FROM
    jsonb_to_recordset(p_batch -> 'shipment_lines') AS l (
      order_id uuid,
      shipment_id uuid,
      order_item_id uuid,
      quantity integer
    )
  WHERE l.order_id = ANY (p_ids);
  INSERT INTO payment.payment
    (
      merchant_id,
      id,
      order_id,
      amount,
      currency,
      status,
      method,
      processor,
      reference,
      captured_amount,
      refunded_amount,
      refund_requested_amount,
      created_at
    )
  SELECT
    p_merchant_id,
    p.id,
    p.order_id,
    p.amount,
    p.currency,
    p.status,
    'EXTERNAL',
    'manual',
    p.reference,
    p.amount,
    p.refunded_amount,
    p.refunded_amount,
    p.created_at
  FROM jsonb_populate_recordset(NULL::payment.payment, p_batch -> 'payments') p
  WHERE p.order_id = ANY (p_ids);
  INSERT INTO payment.refund
    (
      merchant_id,
      id,
      payment_id,
      amount,
      shipping_amount,
      reason,
      status,
      created_at,
      attempted_at,
      succeeded_at,
      before_paid
    )
  SELECT
    p_merchant_id,
    r.id,
    r.payment_id,
    r.amount,
    r.shipping_amount,
    r.reason,
    'SUCCEEDED',
    r.created_at,
    r.created_at,
    r.created_at,
    o.paid_at IS NULL OR r.created_at < o.paid_at
  FROM
    jsonb_populate_recordset(NULL::payment.refund, p_batch -> 'refunds') r
    JOIN jsonb_to_recordset(p_batch -> 'refunds') AS w (id uuid, order_id uuid) ON w.id = r.id
    JOIN ordering.order o ON o.merchant_id = p_merchant_id AND o.id = w.order_id
  WHERE w.order_id = ANY (p_ids);
  INSERT INTO payment.refund_line (merchant_id, refund_id, order_item_id, quantity, amount, paid)
  SELECT p_merchant_id, l.refund_id, l.order_item_id, l.quantity, l.amount, l.amount
  FROM
    jsonb_to_recordset(p_batch -> 'refund_lines') AS l (
      order_id uuid,
      refund_id uuid,
      order_item_id uuid,
      quantity integer,
      amount bigint
    )
  WHERE l.order_id = ANY (p_ids);
  INSERT INTO ordering.history_entry
    (merchant_id, order_id, type, from_status, to_status, amount, note, subject_id, actor, created_at)
  SELECT
    p_merchant_id,
    h.order_id,
    h.type,
    h.from_status,
    h.to_status,
    h.amount,
    h.note,
    h.subject_id,
    'SYSTEM',
    h.created_at
  FROM jsonb_populate_recordset(NULL::ordering.history_entry, p_batch -> 'history') h
  WHERE h.order_id = ANY (p_ids);
END;
$$;

-- answers: changed {customerId: uuid} | unknown_customer {} | orders_under_way {} | appointments_ahead {}
CREATE FUNCTION crm.anonymize_customer(p_merchant_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_email citext;
  v_ids uuid[];
BEGIN
  -- Orders and appointments hold on to the customer's row: none can come between looking and forgetting.
  SELECT c.email
  INTO v_email
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  -- The person's purchases as a guest have records of their own, with the same address.
  SELECT array_agg(x.id)
  INTO v_ids
  FROM
    (
      SELECT c.id
      FROM crm.customer c
      WHERE c.merchant_id = p_merchant_id AND (c.id = p_customer_id OR (c.email = v_email AND NOT c.has_account))
      ORDER BY c.id
      FOR UPDATE
    ) x;
  IF
    EXISTS (
      SELECT
      FROM ordering.order o
      WHERE
        o.merchant_id = p_merchant_id
        AND o.customer_id = ANY (v_ids)
        AND o.status IN ('PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED')
    )
  THEN
    RETURN jsonb_build_object('outcome', 'orders_under_way');
  END IF;
  IF
    EXISTS (
      SELECT
      FROM booking.appointment a
      WHERE
        a.merchant_id = p_merchant_id
        AND a.customer_id = ANY (v_ids)
        AND a.status IN ('SCHEDULED', 'CONFIRMED', 'IN_PROGRESS')
    )
  THEN
    RETURN jsonb_build_object('outcome', 'appointments_ahead');
  END IF;
  -- Requests with an Idempotency-Key by the customer or about it, before the ids that identify them are
  -- gone.
  DELETE FROM platform.idempotency_record r
  WHERE
    r.merchant_id = p_merchant_id
    AND (
      r.caller = ANY (SELECT 'customer:' || x FROM unnest(v_ids) x)
      OR r.record_ids && v_ids
      OR r.record_ids && ARRAY(
        SELECT a.id FROM crm.address a WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_ids)
        UNION ALL
        SELECT i.id FROM crm.interaction i WHERE i.merchant_id = p_merchant_id AND i.customer_id = ANY (v_ids)
        UNION ALL
        SELECT c.id FROM crm.contact c WHERE c.merchant_id = p_merchant_id AND c.customer_id = ANY (v_ids)
      )
    );
  DELETE FROM crm.address a WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_ids);
  DELETE FROM crm.interaction i WHERE i.merchant_id = p_merchant_id AND i.customer_id = ANY (v_ids);
  DELETE FROM crm.contact c WHERE c.merchant_id = p_merchant_id AND c.customer_id = ANY (v_ids);
  DELETE FROM identity.credential x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.session x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.known_client x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.one_time_token x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.sign_in_attempt x
  WHERE x.merchant_id = p_merchant_id AND x.subject = 'CUSTOMER' AND x.email = v_email;
  DELETE FROM inventory.stock_alert a WHERE a.merchant_id = p_merchant_id AND a.email = v_email;
  DELETE FROM email.unsubscribed_address u WHERE u.merchant_id = p_merchant_id AND u.email = v_email;
  DELETE FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.customer_id = ANY (v_ids)
    AND NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = c.merchant_id AND o.cart_id = c.id);
  UPDATE catalog.review r
  SET author_name = 'Anonymous'
  WHERE r.merchant_id = p_merchant_id AND r.customer_id = ANY (v_ids);
  UPDATE booking.appointment a
  SET
    notes = NULL,
    metadata = metadata.emptied(a.metadata),
    private_metadata = metadata.emptied(a.private_metadata)
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_ids);
  UPDATE crm.customer c
  SET
    -- A domain that RFC 2606 reserves.
    email = 'anonymized-' || c.id || '@customer.invalid',
    name = 'Anonymized customer',
    phone = NULL,
    notes = NULL,
    tags = '{}',
    marketing_opt_in = FALSE,
    external_id = NULL,
    metadata = metadata.emptied(c.metadata),
    private_metadata = metadata.emptied(c.private_metadata),
    email_verified = FALSE,
    blocked_at = NULL,
    blocked_reason = NULL,
    anonymized_at = coalesce(c.anonymized_at, now())
  WHERE c.merchant_id = p_merchant_id AND c.id = ANY (v_ids);
  -- The customer's notes ("leave it with ..."), and their earlier wordings in the orders' histories.
  UPDATE ordering.order o
  SET notes = NULL
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = ANY (v_ids) AND o.notes IS NOT NULL;
  -- What they wanted of a line ("Engraving: for Grace"). The line's key keeps lines of one product apart.
  UPDATE ordering.order_item i
  SET
    properties = '[]',
    line_key = i.id::text
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.customer_id = ANY (v_ids)
    AND i.merchant_id = o.merchant_id
    AND i.order_id = o.id
    AND i.properties <> '[]';
  UPDATE ordering.draft_order_item i
  SET
    properties = '[]',
    line_key = i.id::text
  FROM ordering.draft_order d
  WHERE
    d.merchant_id = p_merchant_id
    AND d.customer_id = ANY (v_ids)
    AND i.merchant_id = d.merchant_id
    AND i.draft_order_id = d.id
    AND i.properties <> '[]';
  UPDATE cart.cart_item i
  SET
    properties = '[]',
    line_key = i.id::text
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.customer_id = ANY (v_ids)
    AND i.merchant_id = c.merchant_id
    AND i.cart_id = c.id
    AND i.properties <> '[]';
  UPDATE ordering.history_entry h
  SET note = NULL
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.customer_id = ANY (v_ids)
    AND h.merchant_id = o.merchant_id
    AND h.order_id = o.id
    AND h.type = 'NOTES_CHANGED'
    AND h.note IS NOT NULL;
  -- After the orders, as payments lock them. The processor deletes its record too: payment.remove_at_processor.
  DELETE FROM payment.processor_customer h WHERE h.merchant_id = p_merchant_id AND h.customer_id = ANY (v_ids);
  -- What the merchant's other systems have kept with the person's records.
  UPDATE ordering.order o
  SET
    metadata = metadata.emptied(o.metadata),
    private_metadata = metadata.emptied(o.private_metadata)
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = ANY (v_ids);
  -- Files with the person's data: bulk.withdraw_export.
  UPDATE bulk.export e
  SET customer_id = NULL
  WHERE e.merchant_id = p_merchant_id AND e.customer_id = ANY (v_ids);
  PERFORM events.forget_person(p_merchant_id, v_ids, v_email);
  RETURN jsonb_build_object('outcome', 'changed', 'customerId', p_customer_id);
END;
$$;

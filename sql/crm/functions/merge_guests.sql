-- Moves what was bought without an account to the account whose address was confirmed by mail, and forgets those who
-- bought it. Their sessions, devices, addresses and open carts end with them: anyone could have made them.
CREATE FUNCTION crm.merge_guests(p_merchant_id uuid, p_account_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_guests uuid[];
BEGIN
  SELECT array_agg(g.id)
  INTO v_guests
  FROM
    crm.customer a
    JOIN LATERAL (
      SELECT g.id
      FROM crm.customer g
      WHERE
        g.merchant_id = a.merchant_id
        AND g.email = a.email
        AND NOT g.has_account
        AND g.blocked_at IS NULL
        AND g.anonymized_at IS NULL
      ORDER BY g.id
      FOR UPDATE
    ) g
      ON TRUE
  WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.has_account;
  IF v_guests IS NULL THEN
    RETURN;
  END IF;
  UPDATE ordering.order o
  SET customer_id = p_account_id
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = ANY (v_guests);
  UPDATE ordering.draft_order d
  SET customer_id = p_account_id
  WHERE d.merchant_id = p_merchant_id AND d.customer_id = ANY (v_guests);
  UPDATE booking.appointment a
  SET customer_id = p_account_id
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_guests);
  UPDATE cart.cart c
  SET customer_id = p_account_id
  WHERE c.merchant_id = p_merchant_id AND c.customer_id = ANY (v_guests) AND c.checked_out_at IS NOT NULL;
  UPDATE catalog.review r
  SET customer_id = p_account_id
  WHERE r.merchant_id = p_merchant_id AND r.customer_id = ANY (v_guests);
  UPDATE email.delivery d
  SET customer_id = p_account_id
  WHERE d.merchant_id = p_merchant_id AND d.customer_id = ANY (v_guests);
  -- One to whom the merchant has given points by hand keeps them, without orders.
  DELETE FROM crm.customer g
  WHERE
    g.merchant_id = p_merchant_id
    AND g.id = ANY (v_guests)
    AND NOT EXISTS (SELECT FROM crm.loyalty_account l WHERE l.merchant_id = g.merchant_id AND l.customer_id = g.id);
END;
$$;

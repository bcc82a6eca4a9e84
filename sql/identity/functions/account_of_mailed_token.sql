-- The customer whom a mailed token speaks for, with what was bought from its address without an account. Who holds the
-- token has read the mail, so the address is theirs. A guest who sets a password gets an account: a new one, because
-- anyone could have given the address. NULL for a user's token.
CREATE FUNCTION identity.account_of_mailed_token(p_merchant_id uuid, p_customer_id uuid, p_sets_password boolean)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer crm.customer;
  v_account crm.customer;
BEGIN
  SELECT * INTO v_customer FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id;
  IF v_customer.id IS NULL THEN
    RETURN NULL;
  END IF;
  IF v_customer.has_account THEN
    v_account := v_customer;
  ELSE
    INSERT INTO crm.customer AS c (merchant_id, email, name, phone)
    SELECT v_customer.merchant_id, v_customer.email, v_customer.name, v_customer.phone
    WHERE p_sets_password
    ON CONFLICT (merchant_id, email) WHERE has_account DO NOTHING;
    SELECT *
    INTO v_account
    FROM crm.customer c
    WHERE
      c.merchant_id = p_merchant_id
      AND c.email = v_customer.email
      AND c.has_account
      AND c.blocked_at IS NULL
      -- The address of an account that never confirmed it may have been given by anyone.
      AND (p_sets_password OR c.email_verified);
  END IF;
  IF v_account.id IS NULL THEN
    RETURN v_customer.id;
  END IF;
  PERFORM crm.merge_guests(p_merchant_id, v_account.id);
  RETURN v_account.id;
END;
$$;

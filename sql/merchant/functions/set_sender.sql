-- Sets the address that a merchant's mail is to come from, and the DNS records that its domain needs. The domain is
-- confirmed by a check. Another address of a domain that is confirmed needs no new proof.
--
-- answers: void
-- type merchant.new_sender_record = {purpose: 'OWNERSHIP' | 'DKIM' | 'SPF', type: 'TXT', name: text, value: text}
CREATE FUNCTION merchant.set_sender(p_merchant_id uuid, p_address citext, p_domain text, p_token text, p_records jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE merchant.sender s SET address = p_address WHERE s.merchant_id = p_merchant_id AND s.domain = p_domain;
  IF FOUND THEN
    RETURN;
  END IF;
  DELETE FROM merchant.sender s WHERE s.merchant_id = p_merchant_id;
  INSERT INTO merchant.sender (merchant_id, address, domain, token)
  VALUES (p_merchant_id, p_address, p_domain, p_token);
  PERFORM merchant.set_sender_records(p_merchant_id, p_token, p_records);
END;
$$;

-- The merchant with the test data of this one. The first call makes it: with the same address, settings and plan, and
-- otherwise empty. Concurrent calls make one.
CREATE FUNCTION merchant.test_twin(p_merchant_id uuid)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_twin_id uuid := platform.uuid_v7();
BEGIN
  -- A concurrent change of the status or the plan ends first, and is copied here; or it waits, and changes the twin.
  PERFORM FROM merchant.merchant m WHERE m.id = p_merchant_id FOR SHARE;
  PERFORM FROM merchant.subscription s WHERE s.merchant_id = p_merchant_id FOR SHARE;
  INSERT INTO merchant.merchant
    (id, twin_of, name, email, phone, website, country, status, status_since, status_reason, deletes_at)
  SELECT
    v_twin_id,
    m.id,
    m.name,
    m.email,
    m.phone,
    m.website,
    m.country,
    m.status,
    m.status_since,
    m.status_reason,
    m.deletes_at
  FROM merchant.merchant m
  WHERE m.id = p_merchant_id
  ON CONFLICT (twin_of) DO NOTHING;
  IF NOT FOUND THEN
    RETURN (SELECT m.id FROM merchant.merchant m WHERE m.twin_of = p_merchant_id);
  END IF;
  UPDATE merchant.settings t
  SET
    currency = s.currency,
    timezone = s.timezone,
    language = s.language,
    tax_rate = s.tax_rate
  FROM merchant.settings s
  WHERE t.merchant_id = v_twin_id AND s.merchant_id = p_merchant_id;
  PERFORM merchant.copy_plan_to_twin(p_merchant_id);
  RETURN v_twin_id;
END;
$$;

-- For each entry of a list, a customer that has it for an external id, or else for an address; of accounts before
-- guests. For an address that no customer has, a guest is made: its customer is here no more, or never had an account.
CREATE FUNCTION crm.customers_of_history(p_merchant_id uuid, p_wanted jsonb)
RETURNS TABLE (number bigint, customer_id uuid)
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO crm.customer (merchant_id, email, has_account, name, phone, created_at)
  SELECT DISTINCT ON (w.email) p_merchant_id, w.email, FALSE, w.name, w.phone, w.at
  FROM jsonb_to_recordset(p_wanted) AS w (external_id text, email citext, name text, phone text, at timestamptz)
  WHERE
    NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND c.has_account)
    AND NOT EXISTS (
      SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND NOT c.has_account
    )
    AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.external_id = w.external_id)
  ORDER BY w.email, w.at;
  RETURN QUERY SELECT
      w.number,
      coalesce(
        (
          SELECT c.id
          FROM crm.customer c
          WHERE c.merchant_id = p_merchant_id AND c.external_id = w.external_id
        ),
        (
          SELECT c.id
          FROM crm.customer c
          WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND c.has_account
        ),
        (
          SELECT c.id
          FROM crm.customer c
          WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND NOT c.has_account
          ORDER BY c.created_at, c.id
          LIMIT 1
        )
      )
    FROM jsonb_to_recordset(p_wanted) AS w (number bigint, external_id text, email citext);
END;
$$;

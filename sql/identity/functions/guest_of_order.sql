-- The guest who placed an order and may still act on it; NULL: no such guest.
--
-- answers: uuid | null
CREATE FUNCTION identity.guest_of_order(p_merchant_id uuid, p_order_id uuid)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT c.id
  FROM
    ordering.order o
    JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = p_order_id
    AND o.created_at > now() - INTERVAL '1 year'
    AND NOT c.has_account
    AND c.blocked_at IS NULL
    AND c.anonymized_at IS NULL;
$$;

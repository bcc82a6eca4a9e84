-- answers: text | null
CREATE FUNCTION email.unsubscribe(p_token uuid)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_delivery email.delivery;
BEGIN
  SELECT * INTO v_delivery FROM email.delivery d WHERE d.unsubscribe_token = p_token;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE crm.customer c
  SET marketing_opt_in = FALSE
  WHERE c.merchant_id = v_delivery.merchant_id AND c.id = v_delivery.customer_id AND c.marketing_opt_in;
  RETURN (SELECT m.name FROM merchant.merchant m WHERE m.id = v_delivery.merchant_id);
END;
$$;

-- answers: text | null
CREATE FUNCTION email.unsubscribes_from(p_token uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT m.name
  FROM
    email.delivery d
    JOIN merchant.merchant m ON m.id = d.merchant_id
  WHERE d.unsubscribe_token = p_token;
$$;

-- answers: integer
CREATE FUNCTION email.purge_rendered(p_age interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    old AS (
      SELECT x.merchant_id, x.id
      FROM email.delivery x
      WHERE x.html IS NOT NULL AND x.created_at < now() - p_age AND x.status NOT IN ('QUEUED', 'SENDING')
      ORDER BY x.created_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    ),
    emptied AS (
      UPDATE email.delivery d
      SET
        html = NULL,
        text = NULL,
        facts = CASE
          WHEN d.status IN ('FAILED', 'BOUNCED') THEN d.facts
          ELSE '{}'
        END
      FROM old
      WHERE d.merchant_id = old.merchant_id AND d.id = old.id
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM emptied;
$$;

-- answers: void
CREATE FUNCTION email.unsubscribe(p_merchant_id uuid, p_token uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE crm.customer c
  SET marketing_opt_in = FALSE
  FROM
    email.unsubscribe_token t
    JOIN email.delivery d ON d.merchant_id = t.merchant_id AND d.id = t.delivery_id
  WHERE
    t.merchant_id = p_merchant_id
    AND t.token = p_token
    AND c.merchant_id = p_merchant_id
    AND c.id = d.customer_id
    AND c.marketing_opt_in;
$$;

-- The shop that the token of a mail is of.
--
-- answers: rows {merchant_id: uuid, name: text}
CREATE FUNCTION email.unsubscribes_from(p_token uuid)
RETURNS TABLE (merchant_id uuid, name text)
LANGUAGE sql
STABLE
AS $$
  SELECT m.id, m.name
  FROM
    email.unsubscribe_token t
    JOIN merchant.merchant m ON m.id = t.merchant_id
  WHERE t.token = p_token;
$$;

-- answers: integer
CREATE FUNCTION email.purge_rendered(p_merchant_id uuid, p_age interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    old AS (
      SELECT x.merchant_id, x.id
      FROM email.delivery x
      WHERE
        x.merchant_id = p_merchant_id
        AND x.html IS NOT NULL
        AND x.created_at < now() - p_age
        AND x.status NOT IN ('QUEUED', 'SENDING')
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

-- Whom a campaign goes to: the customers of its segment, or all, who have opted in to marketing.
CREATE FUNCTION email.recipients(p_merchant_id uuid, p_segment_id uuid)
RETURNS SETOF crm.customer
LANGUAGE sql
STABLE
AS $$
  SELECT c.*
  FROM crm.customer c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.marketing_opt_in
    AND c.blocked_at IS NULL
    AND (
      p_segment_id IS NULL
      OR EXISTS (
        SELECT
        FROM crm.segment_member m
        WHERE m.merchant_id = c.merchant_id AND m.segment_id = p_segment_id AND m.customer_id = c.id
      )
    );
$$;

-- An address that took no earlier message gets no campaigns.
CREATE FUNCTION email.has_bounced(p_merchant_id uuid, p_recipient citext)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM email.delivery d
      WHERE d.merchant_id = p_merchant_id AND d.recipient = p_recipient AND d.status = 'BOUNCED'
    );
$$;

-- answers: integer
-- nullable: p_segment_id
CREATE FUNCTION email.count_recipients(p_merchant_id uuid, p_segment_id uuid)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT count(*)::integer
  FROM email.recipients(p_merchant_id, p_segment_id) c
  WHERE NOT email.has_bounced(p_merchant_id, c.email);
$$;

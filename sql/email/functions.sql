-- Of all customers with the address that the mail went to, and of the one that it was written for, who may have another
-- one by now.
--
-- answers: void
CREATE FUNCTION email.unsubscribe(p_merchant_id uuid, p_token uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  WITH
    mail AS (
      SELECT d.recipient, d.customer_id
      FROM
        email.unsubscribe_token t
        JOIN email.delivery d ON d.merchant_id = t.merchant_id AND d.id = t.delivery_id
      WHERE t.merchant_id = p_merchant_id AND t.token = p_token
    ),
    refused AS (
      INSERT INTO email.unsubscribed_address (merchant_id, email)
      SELECT p_merchant_id, m.recipient
      FROM mail m
      ON CONFLICT (merchant_id, email) DO NOTHING
    )
  UPDATE crm.customer c
  SET marketing_opt_in = FALSE
  FROM mail m
  WHERE c.merchant_id = p_merchant_id AND (c.email = m.recipient OR c.id = m.customer_id) AND c.marketing_opt_in;
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

-- Whether a customer gets campaigns at an address. A guest's is not confirmed: another customer who has an account with
-- it decides for it.
CREATE FUNCTION email.wants_campaigns(p_customer crm.customer, p_address citext)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_customer.marketing_opt_in
    AND p_customer.blocked_at IS NULL
    AND NOT EXISTS (
      SELECT
      FROM email.unsubscribed_address u
      WHERE u.merchant_id = p_customer.merchant_id AND u.email = p_address
    )
    AND (
      p_customer.has_account
      OR NOT EXISTS (
        SELECT
        FROM crm.customer a
        WHERE a.merchant_id = p_customer.merchant_id AND a.email = p_address AND a.has_account
      )
    );
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
    AND email.wants_campaigns(c, c.email)
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

-- By address, because each gets a campaign once.
--
-- answers: integer
-- nullable: p_segment_id
CREATE FUNCTION email.count_recipients(p_merchant_id uuid, p_segment_id uuid)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT count(DISTINCT c.email)::integer
  FROM email.recipients(p_merchant_id, p_segment_id) c
  WHERE NOT email.has_bounced(p_merchant_id, c.email);
$$;

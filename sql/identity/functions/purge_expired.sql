-- Deletes guests who began a checkout and have left nothing: no order or appointment, no cart, and no draft of the
-- merchant's. One with a cart or draft is looked at again each day, because that may be changed, and so live on, at any
-- time. Returns how many were looked at.
CREATE FUNCTION identity.purge_guests(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    due AS (
      SELECT
        g.customer_id,
        x.has_account
        OR EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = g.merchant_id AND o.customer_id = g.customer_id)
        OR EXISTS (
          SELECT FROM booking.appointment a WHERE a.merchant_id = g.merchant_id AND a.customer_id = g.customer_id
        )
        OR EXISTS (
          SELECT FROM crm.loyalty_account l WHERE l.merchant_id = g.merchant_id AND l.customer_id = g.customer_id
        ) AS stays,
        EXISTS (SELECT FROM cart.cart c WHERE c.merchant_id = g.merchant_id AND c.customer_id = g.customer_id)
        OR EXISTS (
          SELECT FROM ordering.draft_order d WHERE d.merchant_id = g.merchant_id AND d.customer_id = g.customer_id
        ) AS may_buy
      FROM
        identity.guest_check g
        JOIN crm.customer x ON x.merchant_id = g.merchant_id AND x.id = g.customer_id
      WHERE g.merchant_id = p_merchant_id AND g.due_at < now()
      ORDER BY g.due_at
      LIMIT p_limit
      -- A customer who is ordering just now is looked at later.
      FOR UPDATE OF g, x SKIP LOCKED
    ),
    gone AS (
      DELETE FROM crm.customer x
      WHERE
        x.merchant_id = p_merchant_id
        AND x.id IN (SELECT d.customer_id FROM due d WHERE NOT d.stays AND NOT d.may_buy)
    ),
    settled AS (
      DELETE FROM identity.guest_check g
      WHERE g.merchant_id = p_merchant_id AND g.customer_id IN (SELECT d.customer_id FROM due d WHERE d.stays)
    ),
    postponed AS (
      UPDATE identity.guest_check g
      SET due_at = now() + INTERVAL '1 day'
      WHERE
        g.merchant_id = p_merchant_id
        AND g.customer_id IN (SELECT d.customer_id FROM due d WHERE NOT d.stays AND d.may_buy)
    )
  SELECT count(*)::integer
  FROM due;
$$;

-- Whether it is a guest with an unpaid order, or an appointment ahead: those of one network count as one shopper's
-- (identity.same_buyer), and the sessions tell the network.
CREATE FUNCTION identity.counts_by_network(p_merchant_id uuid, p_customer_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM crm.customer g
      WHERE
        g.merchant_id = p_merchant_id
        AND g.id = p_customer_id
        AND NOT g.has_account
        AND (
          EXISTS (
            SELECT
            FROM ordering.order o
            WHERE o.merchant_id = g.merchant_id AND o.customer_id = g.id AND o.status = 'PENDING'
          )
          OR EXISTS (
            SELECT
            FROM booking.appointment a
            WHERE a.merchant_id = g.merchant_id AND a.customer_id = g.id AND a.start_time > now() AND a.takes_time
          )
        )
    );
$$;

-- Merchants with rows that identity.purge_expired deletes or looks at.
--
-- answers: rows {merchant_id: uuid}
CREATE FUNCTION identity.merchants_to_purge(p_limit integer, p_sessions_kept interval)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT s.merchant_id
  FROM identity.session s
  WHERE
    s.ends_at < now()
    AND (s.origin = 'BACKEND' OR s.ends_at < now() - p_sessions_kept)
    AND NOT identity.counts_by_network(s.merchant_id, s.customer_id)
  UNION
  SELECT t.merchant_id FROM identity.one_time_token t WHERE t.expires_at < now() - INTERVAL '1 day'
  UNION
  SELECT a.merchant_id FROM identity.sign_in_attempt a WHERE a.last_at < now() - INTERVAL '1 day'
  UNION
  SELECT k.merchant_id FROM identity.known_client k WHERE k.last_at < now() - INTERVAL '90 days'
  UNION
  SELECT g.merchant_id
  FROM identity.guest_check g
  WHERE g.due_at < now()
  LIMIT p_limit;
$$;

-- p_sessions_kept: how long an ended session stays, a day at least: so long, a refresh token that comes back late is
-- known from an unknown one.
--
-- answers: integer
CREATE FUNCTION identity.purge_expired(p_merchant_id uuid, p_limit integer, p_sessions_kept interval)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    sessions AS (
      DELETE FROM identity.session s
      WHERE
        (s.merchant_id, s.id) IN (
          SELECT x.merchant_id, x.id
          FROM identity.session x
          -- A backend's session has no refresh token.
          WHERE
            x.merchant_id = p_merchant_id
            AND x.ends_at < now()
            AND (x.origin = 'BACKEND' OR x.ends_at < now() - p_sessions_kept)
            AND NOT identity.counts_by_network(x.merchant_id, x.customer_id)
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING s.id
    ),
    tokens AS (
      DELETE FROM identity.one_time_token t
      WHERE
        (t.merchant_id, t.id) IN (
          SELECT x.merchant_id, x.id
          FROM identity.one_time_token x
          WHERE x.merchant_id = p_merchant_id AND x.expires_at < now() - INTERVAL '1 day'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING t.id
    ),
    attempts AS (
      DELETE FROM identity.sign_in_attempt a
      WHERE
        (a.merchant_id, a.subject, a.email, a.client) IN (
          SELECT x.merchant_id, x.subject, x.email, x.client
          FROM identity.sign_in_attempt x
          WHERE x.merchant_id = p_merchant_id AND x.last_at < now() - INTERVAL '1 day'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING a.email
    ),
    clients AS (
      DELETE FROM identity.known_client k
      WHERE
        (k.merchant_id, k.id) IN (
          SELECT x.merchant_id, x.id
          FROM identity.known_client x
          WHERE x.merchant_id = p_merchant_id AND x.last_at < now() - INTERVAL '90 days'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING k.id
    )
  SELECT
    (
      (SELECT count(*) FROM sessions) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM attempts) + (
        SELECT count(*) FROM clients
      )
    )::integer + identity.purge_guests(p_merchant_id, p_limit);
$$;

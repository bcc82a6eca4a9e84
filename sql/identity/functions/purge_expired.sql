-- Of a guest: began a checkout and placed no order, and the cart is gone.
CREATE FUNCTION identity.has_left_nothing(p_merchant_id uuid, p_customer_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.customer_id = p_customer_id)
    AND NOT EXISTS (
      SELECT FROM booking.appointment a WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
    )
    AND NOT EXISTS (SELECT FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.customer_id = p_customer_id)
    AND NOT EXISTS (
      SELECT FROM crm.loyalty_account l WHERE l.merchant_id = p_merchant_id AND l.customer_id = p_customer_id
    );
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

-- Merchants with rows that identity.purge_expired deletes.
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
  FROM crm.customer g
  WHERE
    NOT g.has_account
    AND g.created_at BETWEEN now() - INTERVAL '62 days' AND now() - INTERVAL '31 days'
    AND identity.has_left_nothing(g.merchant_id, g.id)
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
    ),
    guests AS (
      DELETE FROM crm.customer g
      WHERE
        (g.merchant_id, g.id) IN (
          SELECT x.merchant_id, x.id
          FROM crm.customer x
          WHERE
            x.merchant_id = p_merchant_id
            AND NOT x.has_account
            AND x.created_at BETWEEN now() - INTERVAL '62 days' AND now() - INTERVAL '31 days'
            AND identity.has_left_nothing(x.merchant_id, x.id)
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING g.id
    )
  SELECT
    (
      (SELECT count(*) FROM sessions) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM attempts) + (
        SELECT count(*) FROM clients
      ) + (SELECT count(*) FROM guests)
    )::integer;
$$;

-- p_sessions_kept: how long an ended session stays, a day at least: so long, a refresh token that comes back late is
-- known from an unknown one.
--
-- answers: integer
CREATE FUNCTION identity.purge_expired(p_limit integer, p_sessions_kept interval)
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
          WHERE x.expires_at < now() AND (x.origin = 'BACKEND' OR x.expires_at < now() - p_sessions_kept)
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
          WHERE x.expires_at < now() - INTERVAL '1 day'
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
          WHERE x.last_at < now() - INTERVAL '1 day'
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
          WHERE x.last_at < now() - INTERVAL '90 days'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING k.id
    ),
    -- Guests who began a checkout and placed no order, after the cart is gone.
    guests AS (
      DELETE FROM crm.customer g
      WHERE
        (g.merchant_id, g.id) IN (
          SELECT x.merchant_id, x.id
          FROM crm.customer x
          WHERE
            NOT x.has_account
            AND x.created_at BETWEEN now() - INTERVAL '62 days' AND now() - INTERVAL '31 days'
            AND NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = x.merchant_id AND o.customer_id = x.id)
            AND NOT EXISTS (
              SELECT FROM booking.appointment a WHERE a.merchant_id = x.merchant_id AND a.customer_id = x.id
            )
            AND NOT EXISTS (SELECT FROM cart.cart c WHERE c.merchant_id = x.merchant_id AND c.customer_id = x.id)
            AND NOT EXISTS (
              SELECT FROM crm.loyalty_account l WHERE l.merchant_id = x.merchant_id AND l.customer_id = x.id
            )
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

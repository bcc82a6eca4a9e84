-- answers: integer
CREATE FUNCTION identity.purge_expired(p_limit integer)
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
          -- For a day, a refresh token that comes back late is known from an unknown one; a backend's session has none.
          WHERE x.expires_at < now() AND (x.origin = 'BACKEND' OR x.expires_at < now() - INTERVAL '1 day')
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
    )
  SELECT
    (
      (SELECT count(*) FROM sessions) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM attempts) + (
        SELECT count(*) FROM clients
      )
    )::integer;
$$;

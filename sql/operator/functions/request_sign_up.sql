-- Writes a request for a shop down, to be confirmed by mail. An address gets one mail within ten minutes and five a
-- day; the request is written down in any case, so neither the answer nor its time tells.
--
-- answers: requested {} | too_many {retryAfter: integer}
-- nullable: p_network
CREATE FUNCTION operator.request_sign_up(
  p_email citext,
  p_account jsonb,
  p_network text,
  p_hash bytea,
  p_token text,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_from_network CONSTANT integer := 20;
  c_in_all CONSTANT integer := 1000;
  v_recent timestamptz := now() - INTERVAL '1 hour';
BEGIN
  -- Requests at the same time are counted one after the other.
  PERFORM pg_advisory_xact_lock(hashtext('operator.sign_up'));
  IF
    (SELECT count(*) FROM operator.sign_up s WHERE s.network = p_network AND s.created_at > v_recent) >= c_from_network
    OR (SELECT count(*) FROM operator.sign_up s WHERE s.created_at > v_recent) >= c_in_all
  THEN
    RETURN jsonb_build_object('outcome', 'too_many', 'retryAfter', 3600);
  END IF;
  INSERT INTO operator.sign_up (email, account, network, hash, undelivered, expires_at)
  SELECT
    p_email,
    p_account,
    p_network,
    p_hash,
    CASE
      WHEN NOT m.mailed_now
      AND m.mailed_today < 5 THEN p_token
    END,
    now() + p_lifetime
  FROM
    (
      SELECT
        coalesce(bool_or(s.created_at > now() - INTERVAL '10 minutes'), FALSE) AS mailed_now,
        count(*) AS mailed_today
      FROM operator.sign_up s
      WHERE
        s.email = p_email
        AND s.created_at > now() - INTERVAL '1 day'
        AND (s.attempts > 0 OR s.undelivered IS NOT NULL)
    ) m;
  RETURN jsonb_build_object('outcome', 'requested');
END;
$$;

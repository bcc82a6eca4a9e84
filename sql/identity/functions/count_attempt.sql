CREATE FUNCTION identity.count_attempt(
  p_merchant_id uuid,
  p_subject text,
  p_email text,
  p_client text,
  p_of_client identity.attempt_limit,
  p_of_all identity.attempt_limit,
  p_longest interval
)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_client text := coalesce(p_client, 'unknown');
  v_counted text[] := CASE
    WHEN p_client IS NOT NULL
    AND identity.is_known_client(p_merchant_id, p_subject, p_email, p_client) THEN ARRAY[v_client]
    ELSE ARRAY['', v_client]
  END;
  v_until timestamptz;
BEGIN
  INSERT INTO identity.sign_in_attempt (merchant_id, subject, email, client)
  SELECT p_merchant_id, p_subject, p_email, x FROM unnest(v_counted) x ORDER BY x
  ON CONFLICT DO NOTHING;
  PERFORM
  FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = p_email::citext
    AND a.client = ANY (v_counted)
  ORDER BY a.client
  FOR UPDATE;
  SELECT max(a.blocked_until)
  INTO v_until
  FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = p_email::citext
    AND a.client = ANY (v_counted);
  IF v_until > now() THEN
    RETURN ceil(EXTRACT(EPOCH FROM v_until - now()));
  END IF;
  UPDATE identity.sign_in_attempt a
  SET
    attempts = a.attempts + 1,
    last_at = now(),
    blocked_until = CASE
      WHEN a.attempts + 1 >= l.free THEN now() + least(
        p_longest,
        l.block * power(2, least(a.attempts + 1 - l.free, 20))
      )
    END
  FROM
    (
      VALUES
        (v_client, (p_of_client).free, (p_of_client).block),
        ('', (p_of_all).free, (p_of_all).block)
    ) AS l (client, free, block)
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = p_email::citext
    AND a.client = ANY (v_counted)
    AND a.client = l.client;
  RETURN NULL;
END;
$$;

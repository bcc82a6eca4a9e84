-- Takes the requests whose mail is due. A process that dies leaves them to another one after the lease. After the last
-- attempt the token is forgotten.
--
-- answers: rows {id: uuid, email: text, hash: text, token: text}
CREATE FUNCTION operator.claim_sign_up_mails(p_limit integer, p_lease interval, p_max_attempts integer)
RETURNS TABLE (id uuid, email text, hash text, token text)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE operator.sign_up s
  SET undelivered = NULL
  WHERE
    s.undelivered IS NOT NULL
    AND s.next_attempt_at <= now()
    AND (s.attempts >= p_max_attempts OR s.expires_at <= now());
  UPDATE operator.sign_up s
  SET
    attempts = s.attempts + 1,
    next_attempt_at = now() + p_lease * power(2, s.attempts)
  WHERE
    s.id IN (
      SELECT x.id
      FROM operator.sign_up x
      WHERE x.undelivered IS NOT NULL AND x.next_attempt_at <= now()
      ORDER BY x.next_attempt_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
  RETURNING s.id, s.email::text, encode(s.hash, 'hex'), s.undelivered;
$$;

-- The mail is sent, or will never be.
--
-- answers: void
CREATE FUNCTION operator.forget_sign_up_token(p_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE operator.sign_up s SET undelivered = NULL WHERE s.id = p_id;
$$;

-- The request of a mailed token. The lock has a second use of the token wait for the first one, and find its answer.
--
-- answers: open {id: uuid, account: object} | opened {id: uuid, answer: text} | unknown {}
CREATE FUNCTION operator.find_sign_up(p_hash bytea)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_sign_up operator.sign_up;
BEGIN
  SELECT * INTO v_sign_up FROM operator.sign_up s WHERE s.hash = p_hash FOR NO KEY UPDATE;
  IF v_sign_up.answer IS NOT NULL AND v_sign_up.opened_at > now() - INTERVAL '10 minutes' THEN
    RETURN jsonb_build_object('outcome', 'opened', 'id', v_sign_up.id, 'answer', v_sign_up.answer);
  END IF;
  IF v_sign_up.id IS NULL OR v_sign_up.opened_at IS NOT NULL OR v_sign_up.expires_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  RETURN jsonb_build_object('outcome', 'open', 'id', v_sign_up.id, 'account', v_sign_up.account);
END;
$$;

-- answers: void
CREATE FUNCTION operator.complete_sign_up(p_id uuid, p_answer text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE operator.sign_up s
  SET
    opened_at = now(),
    answer = p_answer,
    undelivered = NULL
  WHERE s.id = p_id;
$$;

-- answers: integer
CREATE FUNCTION operator.purge_sign_ups(p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    answered AS (
      UPDATE operator.sign_up s
      SET answer = NULL
      WHERE
        s.id IN (
          SELECT x.id
          FROM operator.sign_up x
          WHERE x.answer IS NOT NULL AND x.opened_at <= now() - INTERVAL '10 minutes'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING s.id
    ),
    gone AS (
      DELETE FROM operator.sign_up s
      WHERE
        s.id IN (
          SELECT x.id
          FROM operator.sign_up x
          WHERE x.created_at < now() - INTERVAL '2 days'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING s.id
    )
  SELECT ((SELECT count(*) FROM answered) + (SELECT count(*) FROM gone))::integer;
$$;

-- The same for as long as it is in its queue.
CREATE FUNCTION operator.dead_letter_id(p_kind text, p_queue text, p_source_id text)
RETURNS uuid
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
RETURN md5(p_kind || ' ' || p_queue || ' ' || p_source_id)::uuid;

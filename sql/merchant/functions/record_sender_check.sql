-- Records what a check of a sender's domain saw. Nothing happens if the merchant has set another domain meanwhile,
-- whose token is another one. A domain whose DNS doesn't answer stays confirmed for three days.
--
-- answers: confirmed {} | lost {message: notification.message, lostAt: text} | pending {} | unknown {}
-- nullable: p_problem
CREATE FUNCTION merchant.record_sender_check(
  p_merchant_id uuid,
  p_token text,
  p_records jsonb,
  p_answered boolean,
  p_problem text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_before merchant.sender;
  v_after text;
BEGIN
  SELECT *
  INTO v_before
  FROM merchant.sender s
  WHERE s.merchant_id = p_merchant_id AND s.token = p_token
  FOR NO KEY UPDATE;
  IF v_before.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  v_after := CASE
    WHEN p_problem IS NULL THEN 'CONFIRMED'
    WHEN v_before.status <> 'CONFIRMED' THEN v_before.status
    WHEN p_answered
    OR v_before.confirmed_at < now() - INTERVAL '3 days' THEN 'LOST'
    ELSE 'CONFIRMED'
  END;
  PERFORM merchant.set_sender_records(p_merchant_id, p_token, p_records);
  UPDATE merchant.sender s
  SET
    status = v_after,
    problem = CASE
      WHEN v_after <> 'CONFIRMED' THEN p_problem
    END,
    confirmed_at = CASE
      WHEN p_problem IS NULL THEN now()
      ELSE s.confirmed_at
    END,
    checked_at = now(),
    next_check_at = merchant.next_sender_check(v_after, s.created_at)
  WHERE s.merchant_id = p_merchant_id;
  IF v_after = 'CONFIRMED' THEN
    RETURN jsonb_build_object('outcome', 'confirmed');
  END IF;
  IF v_before.status <> 'CONFIRMED' THEN
    RETURN jsonb_build_object('outcome', 'pending');
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'lost',
    'lostAt',
    to_json(now()) #>> '{}',
    'message',
    notification.merchant_message(
      p_merchant_id,
      jsonb_build_object(
        'sender',
        jsonb_build_object('address', v_before.address, 'domain', v_before.domain, 'problem', p_problem)
      )
    )
  );
END;
$$;

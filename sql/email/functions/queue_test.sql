-- Queues a test of a message for a user. It goes to the user's own confirmed address, which gets 20 within an hour.
--
-- @param p_message the test as it is sent: its subject, HTML and text
--
-- answers: queued {deliveryId: uuid} | unconfirmed {} | too_many {retryAfter: integer}
CREATE FUNCTION email.queue_test(p_merchant_id uuid, p_user_id uuid, p_kind text, p_message jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_an_hour CONSTANT integer := 20;
  v_user identity.user;
  v_earliest timestamptz;
  v_id uuid;
BEGIN
  -- The lock lets requests at the same time be counted one after the other.
  SELECT *
  INTO v_user
  FROM identity.user u
  WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND u.status = 'ACTIVE' AND u.email_verified
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unconfirmed');
  END IF;
  SELECT d.created_at
  INTO v_earliest
  FROM email.delivery d
  WHERE
    d.merchant_id = p_merchant_id
    AND d.recipient = v_user.email
    AND d.is_test
    AND d.created_at > now() - INTERVAL '1 hour'
  ORDER BY d.created_at DESC
  OFFSET c_an_hour - 1
  LIMIT 1;
  IF FOUND THEN
    RETURN jsonb_build_object(
      'outcome',
      'too_many',
      'retryAfter',
      ceil(EXTRACT(EPOCH FROM v_earliest + INTERVAL '1 hour' - now()))::integer
    );
  END IF;
  INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, facts, is_test)
  VALUES (p_merchant_id, p_kind, concat('test ', gen_random_uuid()), v_user.email, v_user.name, p_message, TRUE)
  RETURNING id
  INTO v_id;
  RETURN jsonb_build_object('outcome', 'queued', 'deliveryId', v_id);
END;
$$;

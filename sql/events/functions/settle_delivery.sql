-- Records how an attempt ended, and what follows from it. An attempt that another process has taken over meanwhile is
-- logged, and changes nothing else. p_delays: seconds to the second attempt, the third, and so on; after the last one,
-- the delivery has failed. The seconds are lengthened by up to a fifth, so that what failed together doesn't come back
-- together.
--
-- answers: settled {} | switched_off {disabledAt: text, message: notification.message}
-- nullable: p_response_status, p_response_headers, p_response_body, p_error, p_retry_after
CREATE FUNCTION events.settle_delivery(
  p_merchant_id uuid,
  p_id uuid,
  p_attempt integer,
  p_outcome text,
  p_url text,
  p_request_headers jsonb,
  p_response_status integer,
  p_response_headers jsonb,
  p_response_body text,
  p_error text,
  p_started_at timestamptz,
  p_duration_ms integer,
  p_retry_after integer,
  p_delays integer[],
  p_switch_off_after interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_delivery events.delivery;
  v_endpoint events.endpoint;
  v_reason text;
BEGIN
  SELECT * INTO v_delivery FROM events.delivery d WHERE d.merchant_id = p_merchant_id AND d.id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  INSERT INTO events.attempt
    (
      merchant_id,
      delivery_id,
      number,
      url,
      request_headers,
      response_status,
      response_headers,
      response_body,
      error,
      started_at,
      duration_ms
    )
  VALUES
    (
      p_merchant_id,
      p_id,
      p_attempt,
      p_url,
      p_request_headers,
      p_response_status,
      p_response_headers,
      p_response_body,
      p_error,
      p_started_at,
      p_duration_ms
    );
  IF v_delivery.status <> 'SENDING' OR v_delivery.attempts <> p_attempt THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  UPDATE events.delivery d
  SET
    status = CASE
      WHEN p_outcome = 'delivered' THEN 'DELIVERED'
      WHEN d.is_test
      OR d.tries >= cardinality(p_delays) THEN 'FAILED'
      ELSE 'PENDING'
    END,
    tries = d.tries + 1,
    claimed_until = NULL,
    response_status = p_response_status,
    error = p_error,
    delivered_at = CASE
      WHEN p_outcome = 'delivered' THEN clock_timestamp()
    END,
    next_attempt_at = now() + make_interval(
      secs => greatest(coalesce(p_delays[d.tries + 1], 0) * (1 + random() / 5), coalesce(p_retry_after, 0))
    )
  WHERE d.merchant_id = p_merchant_id AND d.id = p_id;
  -- A test says nothing about the deliveries.
  IF v_delivery.is_test THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  IF p_outcome = 'delivered' THEN
    UPDATE events.endpoint e
    SET failing_since = NULL
    WHERE e.merchant_id = p_merchant_id AND e.id = v_delivery.endpoint_id AND e.failing_since IS NOT NULL;
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  SELECT *
  INTO v_endpoint
  FROM events.endpoint e
  WHERE e.merchant_id = p_merchant_id AND e.id = v_delivery.endpoint_id
  FOR NO KEY UPDATE;
  v_reason := CASE
    WHEN p_outcome = 'gone' THEN 'GONE'
    WHEN v_endpoint.failing_since < now() - p_switch_off_after THEN 'FAILING'
  END;
  IF v_endpoint.status <> 'ENABLED' OR (v_reason IS NULL AND v_endpoint.failing_since IS NOT NULL) THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  UPDATE events.endpoint e
  SET
    failing_since = coalesce(e.failing_since, now()),
    status = CASE
      WHEN v_reason IS NULL THEN e.status
      ELSE 'DISABLED'
    END,
    disabled_reason = v_reason,
    disabled_at = CASE
      WHEN v_reason IS NOT NULL THEN now()
    END
  WHERE e.merchant_id = p_merchant_id AND e.id = v_endpoint.id
  RETURNING *
  INTO v_endpoint;
  IF v_reason IS NULL THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'switched_off',
    'disabledAt',
    to_json(v_endpoint.disabled_at) #>> '{}',
    'message',
    notification.merchant_message(
      p_merchant_id,
      jsonb_build_object(
        'endpoint',
        jsonb_build_object(
          'id',
          v_endpoint.id,
          'url',
          v_endpoint.url,
          'reason',
          v_reason,
          'failingSince',
          v_endpoint.failing_since,
          'error',
          p_error
        )
      )
    )
  );
END;
$$;

-- A test for an endpoint: with the payload of the topic's latest event that the endpoint may hear of, or as p_body
-- says where there is none.
--
-- answers: queued {webhookDeliveryId: uuid} | unknown_endpoint {}
-- nullable: p_topic
CREATE FUNCTION events.queue_test(p_merchant_id uuid, p_endpoint_id uuid, p_topic text, p_body text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_endpoint events.endpoint;
  v_event events.event;
  v_id uuid;
BEGIN
  SELECT * INTO v_endpoint FROM events.endpoint e WHERE e.merchant_id = p_merchant_id AND e.id = p_endpoint_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_endpoint');
  END IF;
  SELECT *
  INTO v_event
  FROM events.event e
  WHERE e.merchant_id = p_merchant_id AND e.topic = p_topic AND e.permission = ANY (v_endpoint.permissions)
  ORDER BY e.position DESC
  LIMIT 1;
  INSERT INTO events.delivery (merchant_id, endpoint_id, event_id, is_test, topic, record_id, position, body)
  VALUES
    (
      p_merchant_id,
      p_endpoint_id,
      v_event.id,
      TRUE,
      coalesce(v_event.topic, 'webhook.test'),
      v_event.record_id,
      coalesce(v_event.position, lpad('0', 16, '0')),
      CASE
        WHEN v_event.id IS NULL THEN p_body
      END
    )
  RETURNING id
  INTO v_id;
  RETURN jsonb_build_object('outcome', 'queued', 'webhookDeliveryId', v_id);
END;
$$;

-- answers: void
-- nullable: p_customer_id, p_recipient_name
CREATE FUNCTION notification.announce(
  p_merchant_id uuid,
  p_kind text,
  p_subject_key text,
  p_customer_id uuid,
  p_recipient citext,
  p_recipient_name text,
  p_title text,
  p_body text,
  p_data jsonb,
  p_facts jsonb
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_audience text := (SELECT min(k.audience) FROM notification.kind_channel k WHERE k.kind = p_kind);
  v_is_guest boolean := v_audience = 'CUSTOMER' AND p_customer_id IS NULL;
  v_wanted boolean := v_is_guest OR notification.wants(p_merchant_id, p_customer_id, p_kind, 'EMAIL');
BEGIN
  INSERT INTO email.delivery
    (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, facts, status, reason)
  VALUES
    (
      p_merchant_id,
      p_kind,
      p_subject_key,
      p_recipient,
      p_recipient_name,
      p_customer_id,
      p_facts,
      CASE
        WHEN v_wanted THEN 'QUEUED'
        ELSE 'SUPPRESSED'
      END,
      CASE
        WHEN NOT v_wanted THEN 'Switched off in the preferences'
      END
    )
  ON CONFLICT ON CONSTRAINT delivery_once DO NOTHING;
  IF v_is_guest THEN
    RETURN;
  END IF;
  IF notification.wants(p_merchant_id, p_customer_id, p_kind, 'IN_APP') THEN
    INSERT INTO notification.notification (merchant_id, customer_id, kind, subject_key, title, body, data)
    VALUES (p_merchant_id, p_customer_id, p_kind, p_subject_key, p_title, p_body, p_data)
    ON CONFLICT ON CONSTRAINT notification_once DO NOTHING;
  END IF;
  IF notification.wants(p_merchant_id, p_customer_id, p_kind, 'PUSH') THEN
    INSERT INTO notification.push_delivery (merchant_id, device_id, customer_id, kind, subject_key, title, body, data)
    SELECT d.merchant_id, d.id, p_customer_id, p_kind, p_subject_key, p_title, p_body, p_data
    FROM notification.device d
    WHERE d.merchant_id = p_merchant_id AND d.customer_id IS NOT DISTINCT FROM p_customer_id AND d.gone_at IS NULL
    ON CONFLICT ON CONSTRAINT push_delivery_once DO NOTHING;
  END IF;
END;
$$;

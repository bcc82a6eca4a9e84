-- answers: changed {campaignId: uuid} | unknown {} | not_allowed {status: email.campaign.status}
CREATE FUNCTION email.change_campaign(
  p_merchant_id uuid,
  p_campaign_id uuid,
  p_from text[],
  p_to text,
  p_scheduled_at timestamptz DEFAULT NULL
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
BEGIN
  SELECT c.status
  INTO v_status
  FROM email.campaign c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_campaign_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  UPDATE email.campaign c
  SET
    status = p_to,
    scheduled_at = coalesce(p_scheduled_at, c.scheduled_at),
    finished_at = CASE
      WHEN p_to = 'CANCELLED' THEN now()
    END
  WHERE c.merchant_id = p_merchant_id AND c.id = p_campaign_id;
  CASE p_to
    WHEN 'CANCELLED' THEN
      UPDATE email.delivery d
      SET
        status = 'CANCELLED',
        reason = 'The campaign was cancelled',
        held = FALSE
      WHERE d.merchant_id = p_merchant_id AND d.campaign_id = p_campaign_id AND d.status = 'QUEUED';
    WHEN 'PAUSED' THEN
      UPDATE email.delivery d
      SET held = TRUE
      WHERE d.merchant_id = p_merchant_id AND d.campaign_id = p_campaign_id AND d.status = 'QUEUED';
    WHEN 'SENDING' THEN
      UPDATE email.delivery d
      SET held = FALSE
      WHERE d.merchant_id = p_merchant_id AND d.campaign_id = p_campaign_id AND d.status = 'QUEUED' AND d.held;
    ELSE
      NULL;
  END CASE;
  RETURN jsonb_build_object('outcome', 'changed', 'campaignId', p_campaign_id);
END;
$$;

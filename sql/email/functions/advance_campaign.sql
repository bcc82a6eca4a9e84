-- Takes the next step of the merchant's campaign whose turn it is. FALSE: none has one to take.
--
-- answers: boolean
CREATE FUNCTION email.advance_campaign(p_merchant_id uuid, p_limit integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_campaign email.campaign;
  v_last uuid;
  v_found integer;
BEGIN
  SELECT *
  INTO v_campaign
  FROM email.campaign c
  WHERE
    c.merchant_id = p_merchant_id
    AND (
      (c.status = 'SCHEDULED' AND c.scheduled_at <= now())
      OR (
        c.status = 'SENDING'
        AND (
          NOT c.addressed
          OR NOT EXISTS (
            SELECT
            FROM email.delivery d
            WHERE d.merchant_id = c.merchant_id AND d.campaign_id = c.id AND d.status IN ('QUEUED', 'SENDING')
          )
        )
      )
    )
  ORDER BY c.scheduled_at
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  IF v_campaign.addressed THEN
    UPDATE email.campaign c
    SET
      status = 'SENT',
      finished_at = now()
    WHERE c.merchant_id = p_merchant_id AND c.id = v_campaign.id;
    RETURN TRUE;
  END IF;
  WITH
    batch AS (
      SELECT c.id, c.email, c.name
      FROM email.recipients(p_merchant_id, v_campaign.segment_id) c
      WHERE v_campaign.addressed_to IS NULL OR c.id > v_campaign.addressed_to
      ORDER BY c.id
      LIMIT p_limit
    ),
    written AS (
      INSERT INTO email.delivery
        (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, campaign_id, facts, status, reason)
      SELECT
        p_merchant_id,
        'CAMPAIGN',
        v_campaign.id::text,
        b.email,
        b.name,
        b.id,
        v_campaign.id,
        jsonb_build_object('customer', jsonb_build_object('name', b.name, 'email', b.email)),
        CASE
          WHEN r.bounced THEN 'SUPPRESSED'
          ELSE 'QUEUED'
        END,
        CASE
          WHEN r.bounced THEN 'An earlier message to this address bounced'
        END
      FROM
        batch b,
        LATERAL (SELECT email.has_bounced(p_merchant_id, b.email) AS bounced) r
      ORDER BY b.id
      ON CONFLICT ON CONSTRAINT delivery_once DO NOTHING
    )
  SELECT count(*), (array_agg(b.id ORDER BY b.id DESC))[1]
  INTO v_found, v_last
  FROM batch b;
  UPDATE email.campaign c
  SET
    status = 'SENDING',
    started_at = coalesce(c.started_at, now()),
    addressed_to = coalesce(v_last, c.addressed_to),
    addressed = v_found < p_limit
  WHERE c.merchant_id = p_merchant_id AND c.id = v_campaign.id;
  RETURN TRUE;
END;
$$;

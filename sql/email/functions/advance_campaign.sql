-- Takes the next step of the merchant's campaign whose turn it is. FALSE: none has one to take. A step looks at p_scan
-- customers and writes to p_limit of them, so that its time has a bound when a segment has few of very many.
--
-- answers: boolean
CREATE FUNCTION email.advance_campaign(p_merchant_id uuid, p_limit integer, p_scan integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_campaign email.campaign;
  v_addressed_to uuid;
  v_addressed boolean;
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
    scanned AS MATERIALIZED (
      SELECT c.id
      FROM crm.customer c
      WHERE
        c.merchant_id = p_merchant_id
        AND c.id > coalesce(v_campaign.addressed_to, '00000000-0000-0000-0000-000000000000')
      ORDER BY c.id
      LIMIT p_scan
    ),
    batch AS MATERIALIZED (
      SELECT c.id, c.email, c.name
      FROM
        scanned s
        JOIN email.recipients(p_merchant_id, v_campaign.segment_id) c USING (id)
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
  SELECT
    -- After a full batch, the step that follows looks at what is left of the scanned.
    CASE
      WHEN b.count = p_limit THEN b.last
      ELSE s.last
    END,
    b.count < p_limit AND s.count < p_scan
  INTO v_addressed_to, v_addressed
  FROM
    (SELECT count(*), (array_agg(id ORDER BY id DESC))[1] AS last FROM batch) b,
    (SELECT count(*), (array_agg(id ORDER BY id DESC))[1] AS last FROM scanned) s;
  UPDATE email.campaign c
  SET
    status = 'SENDING',
    started_at = coalesce(c.started_at, now()),
    addressed_to = coalesce(v_addressed_to, c.addressed_to),
    addressed = v_addressed
  WHERE c.merchant_id = p_merchant_id AND c.id = v_campaign.id;
  RETURN TRUE;
END;
$$;

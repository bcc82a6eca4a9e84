-- answers:
--   rows {
--   merchant_id: uuid, id: uuid, kind: email.delivery.kind, subject_key: text, recipient: text,
--   recipient_name: text | null, attempt: integer, facts: object, unsubscribe_token: uuid | null,
--   shop: notification.shop_facts(), template: {subject: text, html: text, text: text} | null,
--   test: {subject: text, html: text, text: text} | null,
--   token: {hash: text, sealed: text, url: text | null} | null, order_link: text | null, place: text,
--   trace_context: text | null
--   }
CREATE FUNCTION email.claim(p_limit integer, p_lease interval, p_max_attempts integer)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  kind text,
  subject_key text,
  recipient text,
  recipient_name text,
  attempt integer,
  facts jsonb,
  unsubscribe_token uuid,
  shop jsonb,
  template jsonb,
  test jsonb,
  token jsonb,
  order_link text,
  place text,
  trace_context text
)
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE email.delivery d
  SET
    status = CASE
      WHEN d.attempts < p_max_attempts THEN 'QUEUED'
      ELSE 'FAILED'
    END,
    reason = 'The sender ended before it recorded an outcome',
    claimed_until = NULL
  WHERE
    (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id
      FROM email.delivery x
      WHERE x.status = 'SENDING' AND x.claimed_until < now()
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
  -- The statement below is planned for its values each time, which takes longer than to see that there is nothing to
  -- send.
  IF
    NOT EXISTS (
      SELECT
      FROM email.delivery x
      WHERE x.status = 'QUEUED' AND NOT x.held AND x.next_attempt_at <= now()
    )
  THEN
    RETURN;
  END IF;
  RETURN QUERY WITH
      due AS MATERIALIZED (
        SELECT x.merchant_id, x.id
        FROM email.delivery x
        WHERE
          x.status = 'QUEUED'
          AND NOT x.held
          AND x.next_attempt_at <= now()
          AND merchant.is_active(x.merchant_id)
          -- A message that came back to the queue after its campaign was paused isn't held.
          AND (
            SELECT p.status FROM email.campaign p WHERE p.merchant_id = x.merchant_id AND p.id = x.campaign_id
          ) IS DISTINCT FROM 'PAUSED'
        ORDER BY (x.campaign_id IS NOT NULL), x.next_attempt_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ),
      judged AS (
        SELECT
          d.merchant_id,
          d.id,
          k.token,
          CASE
            WHEN k.is_for_token
            AND k.token IS NULL THEN 'SUPPRESSED'
            WHEN d.campaign_id IS NULL THEN 'SENDING'
            WHEN g.status = 'CANCELLED' THEN 'CANCELLED'
            WHEN email.wants_campaigns(c, d.recipient) IS NOT TRUE THEN 'SUPPRESSED'
            ELSE 'SENDING'
          END AS status
        FROM
          due u
          JOIN email.delivery d ON d.merchant_id = u.merchant_id AND d.id = u.id
          LEFT JOIN email.campaign g ON g.merchant_id = d.merchant_id AND g.id = d.campaign_id
          LEFT JOIN crm.customer c ON c.merchant_id = d.merchant_id AND c.id = d.customer_id
          CROSS JOIN LATERAL (
            SELECT
              x.is_for_token,
              (
                SELECT
                  jsonb_build_object(
                    'hash',
                    encode(t.hash, 'hex'),
                    'sealed',
                    t.undelivered,
                    'url',
                    (SELECT l.url FROM email.link l WHERE l.merchant_id = d.merchant_id AND l.kind = d.kind)
                  )
                FROM identity.one_time_token t
                WHERE
                  x.is_for_token
                  AND t.merchant_id = d.merchant_id
                  AND t.id = CASE
                    WHEN x.is_for_token THEN d.subject_key::uuid
                  END
                  AND t.undelivered IS NOT NULL
                  AND t.expires_at > now()
              ) AS token
            FROM
              (SELECT d.kind ~ '_(INVITATION|PASSWORD_RESET|EMAIL_VERIFICATION)$' AND NOT d.is_test AS is_for_token) x
          ) k
      ),
      taken AS (
        UPDATE email.delivery d
        SET
          status = j.status,
          reason = CASE j.status
            WHEN 'CANCELLED' THEN 'The campaign was cancelled'
            WHEN 'SUPPRESSED' THEN CASE
              WHEN d.campaign_id IS NULL THEN 'Its token has expired, was used, or a newer one has taken its place'
              WHEN EXISTS (
                SELECT
                FROM crm.customer c
                WHERE c.merchant_id = d.merchant_id AND c.id = d.customer_id AND c.blocked_at IS NOT NULL
              ) THEN 'The customer is blocked'
              ELSE 'The customer has not opted in to marketing'
            END
          END,
          attempts = d.attempts + CASE j.status
            WHEN 'SENDING' THEN 1
            ELSE 0
          END,
          claimed_until = CASE j.status
            WHEN 'SENDING' THEN now() + p_lease
          END
        FROM judged j
        WHERE d.merchant_id = j.merchant_id AND d.id = j.id
        RETURNING d.*, j.token
      ),
      unsubscribing AS (
        INSERT INTO email.unsubscribe_token AS u (merchant_id, delivery_id)
        SELECT t.merchant_id, t.id
        FROM taken t
        WHERE t.status = 'SENDING' AND t.campaign_id IS NOT NULL
        -- A further attempt has the link of the first, which may have arrived.
        ON CONFLICT ON CONSTRAINT unsubscribe_token_pkey DO UPDATE SET token = u.token
        RETURNING u.merchant_id, u.delivery_id, u.token
      )
    SELECT
      t.merchant_id,
      t.id,
      t.kind,
      t.subject_key,
      t.recipient::text,
      t.recipient_name,
      t.attempts,
      t.facts,
      u.token,
      notification.shop_facts(t.merchant_id),
      coalesce(
        (
          SELECT jsonb_build_object('subject', g.subject, 'html', g.html, 'text', g.text)
          FROM email.campaign g
          WHERE g.merchant_id = t.merchant_id AND g.id = t.campaign_id
        ),
        (
          SELECT jsonb_build_object('subject', o.subject, 'html', o.html, 'text', o.text)
          FROM email.template o
          WHERE o.merchant_id = t.merchant_id AND o.kind = t.kind
        )
      ),
      CASE
        WHEN t.is_test THEN t.facts
      END,
      t.token,
      -- Of an order that was placed without an account: there is no other way back to it.
      (
        SELECT l.url
        FROM
          email.link l
          JOIN crm.customer c ON c.merchant_id = l.merchant_id
        WHERE
          l.merchant_id = t.merchant_id
          AND l.kind = 'GUEST_ORDER'
          AND t.kind ~ '^ORDER_'
          AND c.id = t.customer_id
          AND NOT c.has_account
      ),
      platform.place(),
      t.trace_context
    FROM
      taken t
      LEFT JOIN unsubscribing u ON u.merchant_id = t.merchant_id AND u.delivery_id = t.id
    WHERE t.status = 'SENDING'
    ORDER BY t.next_attempt_at;
END;
$$;

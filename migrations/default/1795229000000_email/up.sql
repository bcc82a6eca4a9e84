-- E-mail: a merchant's own words for what the platform tells customers, campaigns, and the log of every message. The log is the
-- outbox as well: a message is a row before it is sent, and its key makes a repeated event no second message.
-- This stands above the domains it tells of, so its migrations come after theirs.

INSERT INTO merchant.permission (name, description) VALUES
  ('email:read', 'See e-mail templates, campaigns and the log of deliveries'),
  ('email:write', 'Change e-mail templates and campaigns, send campaigns and failed messages again');

CREATE SCHEMA email;

-- What stands in the place of a built-in template (actions/src/message/default-templates.ts).
CREATE TABLE email.template (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (kind IN (
    'ORDER_CONFIRMATION', 'ORDER_SHIPPED', 'ORDER_REFUNDED', 'ORDER_PAYMENT_REMINDER', 'ORDER_CANCELLED', 'STOCK_ALERT',
    'APPOINTMENT_BOOKED', 'APPOINTMENT_MOVED', 'APPOINTMENT_CANCELLED', 'APPOINTMENT_REMINDER', 'LOW_STOCK_ALERT',
    'USER_INVITATION', 'USER_PASSWORD_RESET', 'USER_EMAIL_VERIFICATION', 'CUSTOMER_PASSWORD_RESET', 'CUSTOMER_EMAIL_VERIFICATION'
  )),
  -- Mustache, checked by the action that writes it.
  subject text NOT NULL CHECK (subject <> ''),
  html text NOT NULL CHECK (html <> ''),
  text text NOT NULL CHECK (text <> ''),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT template_kind_key UNIQUE (merchant_id, kind)
);
CREATE INDEX template_created_at ON email.template (merchant_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON email.template
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- Where the link of a mail with a token leads, by kind: the merchant's own page, with {token} where the token goes.
CREATE TABLE email.link (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN (
    'USER_INVITATION', 'USER_PASSWORD_RESET', 'USER_EMAIL_VERIFICATION', 'CUSTOMER_PASSWORD_RESET', 'CUSTOMER_EMAIL_VERIFICATION'
  )),
  -- Checked by the action that writes it.
  url text NOT NULL CHECK (url ~ '^https?://' AND url LIKE '%{token}%'),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, kind)
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON email.link
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE email.campaign (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  -- Whom it goes to; NULL is every customer. Whoever has not opted in to marketing gets nothing either way.
  segment_id uuid,
  subject text NOT NULL CHECK (subject <> ''),
  html text NOT NULL CHECK (html <> ''),
  text text NOT NULL CHECK (text <> ''),
  -- The transitions are the state machine's (actions/src/email/SPEC.md).
  status text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED')),
  scheduled_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  -- Recipients are written in batches by their ids: up to this one they are, and all of them once it is addressed.
  addressed_to uuid,
  addressed boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- A segment that campaigns were sent to says to whom, so it stays.
  CONSTRAINT campaign_segment_fkey FOREIGN KEY (merchant_id, segment_id) REFERENCES crm.segment,
  CONSTRAINT campaign_schedule CHECK (status <> 'SCHEDULED' OR scheduled_at IS NOT NULL)
);
CREATE INDEX campaign_created_at ON email.campaign (merchant_id, created_at, id);
CREATE INDEX campaign_segment ON email.campaign (merchant_id, segment_id) WHERE segment_id IS NOT NULL;
-- What the job looks for, over all merchants.
CREATE INDEX campaign_under_way ON email.campaign (scheduled_at) WHERE status IN ('SCHEDULED', 'SENDING');
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON email.campaign
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE email.delivery (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (kind IN (
    'ORDER_CONFIRMATION', 'ORDER_SHIPPED', 'ORDER_REFUNDED', 'ORDER_PAYMENT_REMINDER', 'ORDER_CANCELLED', 'STOCK_ALERT',
    'APPOINTMENT_BOOKED', 'APPOINTMENT_MOVED', 'APPOINTMENT_CANCELLED', 'APPOINTMENT_REMINDER', 'LOW_STOCK_ALERT',
    'USER_INVITATION', 'USER_PASSWORD_RESET', 'USER_EMAIL_VERIFICATION', 'CUSTOMER_PASSWORD_RESET', 'CUSTOMER_EMAIL_VERIFICATION', 'CAMPAIGN'
  )),
  -- What it is about: an order, a shipment, a refund, a subscription, an appointment at its time, a crossing, a
  -- mailed token, a campaign.
  subject_key text NOT NULL,
  recipient citext NOT NULL,
  recipient_name text,
  customer_id uuid,
  campaign_id uuid,
  -- The transitions are the state machine's (actions/src/delivery/SPEC.md).
  status text NOT NULL DEFAULT 'QUEUED'
    CHECK (status IN ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'BOUNCED', 'SUPPRESSED', 'CANCELLED')),
  -- Why it wasn't sent, or not yet.
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- Who sends it has until then; after that it counts as dead, and another one may.
  claimed_until timestamptz,
  -- What the template's variables are made of, as things were when it happened.
  facts jsonb NOT NULL,
  -- As rendered at the last attempt; NULL before the first.
  subject text,
  html text,
  text text,
  transport text,
  message_id text,
  unsubscribe_token uuid NOT NULL DEFAULT gen_random_uuid(),
  sent_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT delivery_once UNIQUE (merchant_id, kind, subject_key, recipient),
  CONSTRAINT delivery_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id),
  CONSTRAINT delivery_campaign_fkey FOREIGN KEY (merchant_id, campaign_id) REFERENCES email.campaign,
  CONSTRAINT delivery_claim CHECK ((status = 'SENDING') = (claimed_until IS NOT NULL)),
  CONSTRAINT delivery_of_campaign CHECK ((kind = 'CAMPAIGN') = (campaign_id IS NOT NULL))
);
CREATE INDEX delivery_created_at ON email.delivery (merchant_id, created_at, id);
CREATE INDEX delivery_status ON email.delivery (merchant_id, status, created_at, id);
CREATE INDEX delivery_campaign ON email.delivery (merchant_id, campaign_id, status) WHERE campaign_id IS NOT NULL;
CREATE INDEX delivery_customer ON email.delivery (merchant_id, customer_id, created_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX delivery_bounced ON email.delivery (merchant_id, recipient) WHERE status = 'BOUNCED';
CREATE UNIQUE INDEX delivery_unsubscribe_token ON email.delivery (unsubscribe_token);
-- What the job looks for, over all merchants: what somebody waits for before what nobody asked for.
CREATE INDEX delivery_due ON email.delivery ((campaign_id IS NOT NULL), next_attempt_at) WHERE status = 'QUEUED';
CREATE INDEX delivery_claimed ON email.delivery (claimed_until) WHERE status = 'SENDING';
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON email.delivery
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- Moves a campaign by an event of its machine.
-- {outcome: 'changed', campaignId} | {outcome: 'unknown'} | {outcome: 'not_allowed', status}
CREATE FUNCTION email.change_campaign(
  p_merchant_id uuid,
  p_campaign_id uuid,
  p_from text[],
  p_to text,
  p_scheduled_at timestamptz DEFAULT NULL
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
BEGIN
  SELECT c.status INTO v_status FROM email.campaign c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_campaign_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  UPDATE email.campaign c SET
    status = p_to,
    scheduled_at = coalesce(p_scheduled_at, c.scheduled_at),
    finished_at = CASE WHEN p_to = 'CANCELLED' THEN now() END
  WHERE c.merchant_id = p_merchant_id AND c.id = p_campaign_id;
  IF p_to = 'CANCELLED' THEN
    UPDATE email.delivery d SET status = 'CANCELLED', reason = 'The campaign was cancelled'
    WHERE d.merchant_id = p_merchant_id AND d.campaign_id = p_campaign_id AND d.status = 'QUEUED';
  END IF;
  RETURN jsonb_build_object('outcome', 'changed', 'campaignId', p_campaign_id);
END
$$;

-- Takes the campaign that has waited longest a step further: begins it when its time has come, writes the next p_limit
-- deliveries, or ends it when all of them are settled. Returns whether there was anything to do. Run twice at once, each
-- takes another campaign.
CREATE FUNCTION email.advance_campaign(p_limit integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_campaign email.campaign;
  v_last uuid;
  v_found integer;
BEGIN
  SELECT * INTO v_campaign FROM email.campaign c
  WHERE (c.status = 'SCHEDULED' AND c.scheduled_at <= now())
    OR (c.status = 'SENDING' AND (NOT c.addressed OR NOT EXISTS (
      SELECT FROM email.delivery d
      WHERE d.merchant_id = c.merchant_id AND d.campaign_id = c.id AND d.status IN ('QUEUED', 'SENDING')
    )))
  ORDER BY c.scheduled_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF v_campaign.addressed THEN
    UPDATE email.campaign c SET status = 'SENT', finished_at = now()
    WHERE c.merchant_id = v_campaign.merchant_id AND c.id = v_campaign.id;
    RETURN true;
  END IF;
  WITH batch AS (
    SELECT c.id, c.email, c.name FROM crm.customer c
    WHERE c.merchant_id = v_campaign.merchant_id AND c.marketing_opt_in AND c.blocked_at IS NULL
      AND (v_campaign.addressed_to IS NULL OR c.id > v_campaign.addressed_to)
      AND (v_campaign.segment_id IS NULL OR EXISTS (
        SELECT FROM crm.segment_member m
        WHERE m.merchant_id = c.merchant_id AND m.segment_id = v_campaign.segment_id AND m.customer_id = c.id
      ))
    ORDER BY c.id LIMIT p_limit
  ),
  written AS (
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, campaign_id, facts, status, reason)
    SELECT
      v_campaign.merchant_id, 'CAMPAIGN', v_campaign.id::text, b.email, b.name, b.id, v_campaign.id,
      jsonb_build_object('customer', jsonb_build_object('name', b.name, 'email', b.email)),
      CASE WHEN r.bounced THEN 'SUPPRESSED' ELSE 'QUEUED' END,
      CASE WHEN r.bounced THEN 'An earlier message to this address bounced' END
    FROM batch b
    CROSS JOIN LATERAL (SELECT EXISTS (
      SELECT FROM email.delivery d WHERE d.merchant_id = v_campaign.merchant_id AND d.recipient = b.email AND d.status = 'BOUNCED'
    ) AS bounced) r
    ON CONFLICT ON CONSTRAINT delivery_once DO NOTHING
  )
  SELECT count(*), (array_agg(b.id ORDER BY b.id DESC))[1] INTO v_found, v_last FROM batch b;
  UPDATE email.campaign c SET
    status = 'SENDING',
    started_at = coalesce(c.started_at, now()),
    addressed_to = coalesce(v_last, c.addressed_to),
    addressed = v_found < p_limit
  WHERE c.merchant_id = v_campaign.merchant_id AND c.id = v_campaign.id;
  RETURN true;
END
$$;

-- The customer of a message wants no more marketing. Returns the shop's name; NULL for a token that nobody has.
CREATE FUNCTION email.unsubscribe(p_token uuid) RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_delivery email.delivery;
BEGIN
  SELECT * INTO v_delivery FROM email.delivery d WHERE d.unsubscribe_token = p_token;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE crm.customer c SET marketing_opt_in = false
  WHERE c.merchant_id = v_delivery.merchant_id AND c.id = v_delivery.customer_id AND c.marketing_opt_in;
  RETURN (SELECT m.name FROM merchant.merchant m WHERE m.id = v_delivery.merchant_id);
END
$$;

-- Whose token it is, without doing anything yet.
CREATE FUNCTION email.unsubscribes_from(p_token uuid) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT m.name FROM email.delivery d JOIN merchant.merchant m ON m.id = d.merchant_id WHERE d.unsubscribe_token = p_token
$$;

CREATE SCHEMA email;

CREATE TABLE email.template (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (
    kind IN (
      'ORDER_CONFIRMATION',
      'ORDER_SHIPPED',
      'ORDER_REFUNDED',
      'ORDER_PAYMENT_REMINDER',
      'ORDER_CANCELLED',
      'STOCK_ALERT',
      'APPOINTMENT_BOOKED',
      'APPOINTMENT_MOVED',
      'APPOINTMENT_CANCELLED',
      'APPOINTMENT_REMINDER',
      'STAFF_APPOINTMENT_BOOKED',
      'STAFF_APPOINTMENT_MOVED',
      'STAFF_APPOINTMENT_CANCELLED',
      'LOW_STOCK_ALERT',
      'PAYMENT_DISPUTED',
      'SENDER_LOST',
      'WEBHOOK_DISABLED',
      'USER_INVITATION',
      'USER_PASSWORD_RESET',
      'USER_EMAIL_VERIFICATION',
      'CUSTOMER_PASSWORD_RESET',
      'CUSTOMER_EMAIL_VERIFICATION'
    )
  ),
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

CREATE TABLE email.link (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  kind text NOT NULL CHECK (
    kind IN (
      'USER_INVITATION',
      'USER_PASSWORD_RESET',
      'USER_EMAIL_VERIFICATION',
      'CUSTOMER_PASSWORD_RESET',
      'CUSTOMER_EMAIL_VERIFICATION',
      'GUEST_ORDER'
    )
  ),
  -- Checked by the action that writes it.
  url text NOT NULL CHECK (url ~ '^https?://' AND url LIKE '%{token}%'),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, kind)
);

CREATE TABLE email.campaign (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  -- Whom it goes to; NULL is every customer. A customer who has not opted in to marketing gets nothing either way.
  segment_id uuid,
  subject text NOT NULL CHECK (subject <> ''),
  html text NOT NULL CHECK (html <> ''),
  text text NOT NULL CHECK (text <> ''),
  -- The transitions are the state machine's (actions/src/email/SPEC.md).
  status text NOT NULL DEFAULT 'DRAFT' CHECK (
    status IN ('DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED')
  ),
  scheduled_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  -- Recipients are written in batches by their ids: up to this one they are, and all of them once it is addressed.
  addressed_to uuid,
  addressed boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- A segment that campaigns were sent to says to whom, so it stays.
  CONSTRAINT campaign_segment_fkey FOREIGN KEY (merchant_id, segment_id) REFERENCES crm.segment,
  CONSTRAINT campaign_schedule CHECK (status <> 'SCHEDULED' OR scheduled_at IS NOT NULL)
);
CREATE INDEX campaign_created_at ON email.campaign (merchant_id, created_at, id);
CREATE INDEX campaign_segment ON email.campaign (merchant_id, segment_id) WHERE segment_id IS NOT NULL;
CREATE INDEX campaign_under_way ON email.campaign (scheduled_at) WHERE status IN ('SCHEDULED', 'SENDING');

CREATE TABLE email.delivery (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (
    kind IN (
      'ORDER_CONFIRMATION',
      'ORDER_SHIPPED',
      'ORDER_REFUNDED',
      'ORDER_PAYMENT_REMINDER',
      'ORDER_CANCELLED',
      'STOCK_ALERT',
      'APPOINTMENT_BOOKED',
      'APPOINTMENT_MOVED',
      'APPOINTMENT_CANCELLED',
      'APPOINTMENT_REMINDER',
      'STAFF_APPOINTMENT_BOOKED',
      'STAFF_APPOINTMENT_MOVED',
      'STAFF_APPOINTMENT_CANCELLED',
      'LOW_STOCK_ALERT',
      'PAYMENT_DISPUTED',
      'SENDER_LOST',
      'WEBHOOK_DISABLED',
      'USER_INVITATION',
      'USER_PASSWORD_RESET',
      'USER_EMAIL_VERIFICATION',
      'CUSTOMER_PASSWORD_RESET',
      'CUSTOMER_EMAIL_VERIFICATION',
      'CAMPAIGN'
    )
  ),
  -- The subject: an order, a shipment, a refund, a subscription, an appointment at its time, a move of one, a
  -- crossing, a mailed token, a campaign.
  subject_key text NOT NULL,
  recipient citext NOT NULL,
  recipient_name text,
  customer_id uuid,
  campaign_id uuid,
  -- The transitions are the state machine's (actions/src/messaging/outbox/SPEC.md).
  status text NOT NULL DEFAULT 'QUEUED' CHECK (
    status IN ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'BOUNCED', 'SUPPRESSED', 'CANCELLED')
  ),
  -- Why it wasn't sent, or not yet.
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- Its campaign was paused while it was queued. Senders don't look at such rows, however many a paused campaign has.
  held boolean NOT NULL DEFAULT FALSE,
  -- A user's test of the words: the facts are the message itself, with sample data. It has no event and no campaign.
  is_test boolean NOT NULL DEFAULT FALSE,
  -- The sender that claimed it has until then. After that the sender counts as dead, and another one may claim it.
  claimed_until timestamptz,
  -- The values of the template's variables at the time of the event.
  facts jsonb NOT NULL,
  -- As rendered at the last attempt; NULL before the first.
  subject text,
  html text,
  text text,
  transport text,
  message_id text,
  -- The trace that it belongs to, as Hasura writes it; NULL where nothing is traced.
  trace_context text DEFAULT nullif(current_setting('hasura.tracecontext', TRUE), ''),
  sent_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT delivery_once UNIQUE (merchant_id, kind, subject_key, recipient),
  CONSTRAINT delivery_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE SET NULL (customer_id),
  CONSTRAINT delivery_campaign_fkey FOREIGN KEY (merchant_id, campaign_id) REFERENCES email.campaign,
  CONSTRAINT delivery_claim CHECK ((status = 'SENDING') = (claimed_until IS NOT NULL)),
  CONSTRAINT delivery_of_campaign CHECK ((kind = 'CAMPAIGN' AND NOT is_test) = (campaign_id IS NOT NULL))
);
CREATE INDEX delivery_created_at ON email.delivery (merchant_id, created_at, id);
CREATE INDEX delivery_status ON email.delivery (merchant_id, status, created_at, id);
CREATE INDEX delivery_campaign ON email.delivery (merchant_id, campaign_id, status) WHERE campaign_id IS NOT NULL;
CREATE INDEX delivery_customer ON email.delivery (merchant_id, customer_id, created_at, id)
WHERE customer_id IS NOT NULL;
CREATE INDEX delivery_recipient ON email.delivery (merchant_id, recipient);
CREATE INDEX delivery_bounced ON email.delivery (merchant_id, recipient) WHERE status = 'BOUNCED';
CREATE INDEX delivery_due ON email.delivery ((campaign_id IS NOT NULL), next_attempt_at)
WHERE status = 'QUEUED' AND NOT held;
CREATE INDEX delivery_test ON email.delivery (merchant_id, recipient, created_at) WHERE is_test;
CREATE INDEX delivery_claimed ON email.delivery (claimed_until) WHERE status = 'SENDING';

-- What the link at a campaign's message carries: it ends the recipient's mails. The message gets its token when it is
-- first sent. Hasura doesn't serve this table.
CREATE TABLE email.unsubscribe_token (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  delivery_id uuid NOT NULL,
  token uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT unsubscribe_token_pkey PRIMARY KEY (merchant_id, delivery_id),
  CONSTRAINT unsubscribe_token_key UNIQUE (token),
  FOREIGN KEY (merchant_id, delivery_id) REFERENCES email.delivery
    ON DELETE CASCADE
);

-- Addresses whose reader wants no more campaigns, whichever customers have them (email.wants_campaigns). An opt-in of
-- the address's owner or of the merchant takes it away (email.accept_opt_in). Hasura doesn't serve this table.
CREATE TABLE email.unsubscribed_address (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  email citext NOT NULL,
  unsubscribed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, email)
);
-- The customer whose appointment a staff member was mailed about; the message is forgotten with the customer.
CREATE INDEX delivery_to_staff ON email.delivery (merchant_id, (facts #>> '{appointment,customerId}'))
WHERE kind IN ('STAFF_APPOINTMENT_BOOKED', 'STAFF_APPOINTMENT_MOVED', 'STAFF_APPOINTMENT_CANCELLED');
CREATE INDEX delivery_rendered ON email.delivery (created_at) WHERE html IS NOT NULL;
CREATE INDEX template_updated_at ON email.template (merchant_id, updated_at, id);
CREATE INDEX campaign_updated_at ON email.campaign (merchant_id, updated_at, id);
CREATE INDEX delivery_updated_at ON email.delivery (merchant_id, updated_at, id);

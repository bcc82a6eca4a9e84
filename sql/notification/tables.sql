CREATE SCHEMA notification;

CREATE TABLE notification.kind_channel (
  kind text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('EMAIL', 'PUSH', 'IN_APP')),
  audience text NOT NULL CHECK (audience IN ('CUSTOMER', 'MERCHANT')),
  required boolean NOT NULL,
  PRIMARY KEY (kind, channel)
);

CREATE TABLE notification.notification (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  kind text NOT NULL,
  subject_key text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  -- Ids of what it is about, for a link.
  data jsonb NOT NULL DEFAULT '{}',
  read_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT notification_once UNIQUE NULLS NOT DISTINCT (merchant_id, kind, subject_key, customer_id),
  /* sql-parser-cst-enable */
  CONSTRAINT notification_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE
);
CREATE INDEX notification_audience ON notification.notification (merchant_id, customer_id, created_at, id);
CREATE INDEX notification_unread ON notification.notification (merchant_id, customer_id) WHERE read_at IS NULL;

CREATE TABLE notification.device (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  platform text NOT NULL CHECK (platform IN ('IOS', 'ANDROID', 'WEB')),
  -- The push service's token of the device. It lets its bearer send to the device, so no API shows it.
  token text NOT NULL CHECK (token <> ''),
  name text,
  -- When the push service said that there is no such device any more. Registering it again brings it back.
  gone_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT device_token_key UNIQUE (merchant_id, token),
  CONSTRAINT device_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE
);
CREATE INDEX device_owner ON notification.device (merchant_id, customer_id, created_at);

CREATE TABLE notification.push_delivery (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  device_id uuid NOT NULL,
  customer_id uuid,
  kind text NOT NULL,
  subject_key text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'QUEUED' CHECK (
    status IN ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'BOUNCED', 'SUPPRESSED', 'CANCELLED')
  ),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claimed_until timestamptz,
  transport text,
  message_id text,
  -- The trace that it belongs to, as Hasura writes it; NULL where nothing is traced.
  trace_context text DEFAULT nullif(current_setting('hasura.tracecontext', TRUE), ''),
  sent_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT push_delivery_once UNIQUE (merchant_id, kind, subject_key, device_id),
  CONSTRAINT push_delivery_device_fkey
    FOREIGN KEY (merchant_id, device_id) REFERENCES notification.device
      ON DELETE CASCADE,
  CONSTRAINT push_delivery_claim CHECK ((status = 'SENDING') = (claimed_until IS NOT NULL))
);
CREATE INDEX push_delivery_created_at ON notification.push_delivery (merchant_id, created_at, id);
CREATE INDEX push_delivery_device ON notification.push_delivery (merchant_id, device_id);
CREATE INDEX push_delivery_due ON notification.push_delivery (next_attempt_at) WHERE status = 'QUEUED';
CREATE INDEX push_delivery_claimed ON notification.push_delivery (claimed_until) WHERE status = 'SENDING';

CREATE TABLE notification.preference (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  kind text NOT NULL,
  channel text NOT NULL,
  enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT preference_key UNIQUE NULLS NOT DISTINCT (merchant_id, customer_id, kind, channel),
  /* sql-parser-cst-enable */
  CONSTRAINT preference_kind_fkey FOREIGN KEY (kind, channel) REFERENCES notification.kind_channel,
  CONSTRAINT preference_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE
);

CREATE TABLE notification.stock_standing (
  merchant_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  standing text NOT NULL CHECK (standing IN ('OUT', 'LOW', 'PLENTY')),
  PRIMARY KEY (merchant_id, stock_item_id),
  CONSTRAINT stock_standing_item_fkey
    FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
      ON DELETE CASCADE
);

CREATE TABLE notification.stock_crossing (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  crossing text NOT NULL CHECK (crossing IN ('RUN_LOW', 'BACK')),
  available integer NOT NULL,
  threshold integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_crossing_item_fkey
    FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
      ON DELETE CASCADE
);
CREATE INDEX stock_crossing_item ON notification.stock_crossing (merchant_id, stock_item_id);
CREATE INDEX push_delivery_updated_at ON notification.push_delivery (merchant_id, updated_at, id);
CREATE INDEX notification_updated_at ON notification.notification (merchant_id, updated_at, id);

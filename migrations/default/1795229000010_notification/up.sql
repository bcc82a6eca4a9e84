-- Notifications: alerts within the shop and on devices, who wants which, and the moments at which stock is worth a word.
-- Where customer_id is NULL, it is the merchant's own people that are told.

INSERT INTO merchant.permission (name, description) VALUES
  ('notifications:read', 'See notifications, devices and preferences'),
  ('notifications:write', 'Mark notifications as read, register devices and change preferences');

CREATE SCHEMA notification;

-- What there is to tell, to whom, and by which channels. What is required can't be switched off: it is the receipt of a
-- contract or of money.
CREATE TABLE notification.kind_channel (
  kind text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('EMAIL', 'PUSH', 'IN_APP')),
  audience text NOT NULL CHECK (audience IN ('CUSTOMER', 'MERCHANT')),
  required boolean NOT NULL,
  PRIMARY KEY (kind, channel)
);
INSERT INTO notification.kind_channel (kind, channel, audience, required)
SELECT k.kind, c.channel, k.audience, k.receipt AND c.channel = 'EMAIL'
FROM (VALUES
  ('ORDER_CONFIRMATION', 'CUSTOMER', true),
  ('ORDER_SHIPPED', 'CUSTOMER', false),
  ('ORDER_REFUNDED', 'CUSTOMER', true),
  ('ORDER_PAYMENT_REMINDER', 'CUSTOMER', false),
  ('ORDER_CANCELLED', 'CUSTOMER', true),
  ('STOCK_ALERT', 'CUSTOMER', false),
  ('APPOINTMENT_BOOKED', 'CUSTOMER', false),
  ('APPOINTMENT_MOVED', 'CUSTOMER', false),
  ('APPOINTMENT_CANCELLED', 'CUSTOMER', false),
  ('APPOINTMENT_REMINDER', 'CUSTOMER', false),
  ('LOW_STOCK_ALERT', 'MERCHANT', false)
) AS k (kind, audience, receipt)
CROSS JOIN unnest(ARRAY['EMAIL', 'PUSH', 'IN_APP']) AS c (channel);

CREATE TABLE notification.notification (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
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
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT notification_once UNIQUE NULLS NOT DISTINCT (merchant_id, kind, subject_key, customer_id),
  CONSTRAINT notification_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX notification_audience ON notification.notification (merchant_id, customer_id, created_at, id);
CREATE INDEX notification_unread ON notification.notification (merchant_id, customer_id) WHERE read_at IS NULL;

CREATE TABLE notification.device (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  platform text NOT NULL CHECK (platform IN ('IOS', 'ANDROID', 'WEB')),
  -- What the push service knows it by. It lets its bearer send to the device, so no API shows it.
  token text NOT NULL CHECK (token <> ''),
  name text,
  -- When the push service said that there is no such device any more. Registering it again brings it back.
  gone_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT device_token_key UNIQUE (merchant_id, token),
  CONSTRAINT device_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX device_owner ON notification.device (merchant_id, customer_id, created_at);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON notification.device
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- A message on its way to a device: the same states as an e-mail's.
CREATE TABLE notification.push_delivery (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  device_id uuid NOT NULL,
  customer_id uuid,
  kind text NOT NULL,
  subject_key text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'QUEUED'
    CHECK (status IN ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'BOUNCED', 'SUPPRESSED', 'CANCELLED')),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claimed_until timestamptz,
  transport text,
  message_id text,
  sent_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT push_delivery_once UNIQUE (merchant_id, kind, subject_key, device_id),
  CONSTRAINT push_delivery_device_fkey FOREIGN KEY (merchant_id, device_id) REFERENCES notification.device ON DELETE CASCADE,
  CONSTRAINT push_delivery_claim CHECK ((status = 'SENDING') = (claimed_until IS NOT NULL))
);
CREATE INDEX push_delivery_created_at ON notification.push_delivery (merchant_id, created_at, id);
CREATE INDEX push_delivery_device ON notification.push_delivery (merchant_id, device_id);
CREATE INDEX push_delivery_due ON notification.push_delivery (next_attempt_at) WHERE status = 'QUEUED';
CREATE INDEX push_delivery_claimed ON notification.push_delivery (claimed_until) WHERE status = 'SENDING';
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON notification.push_delivery
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION notification.forget_device() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE notification.device d SET gone_at = now() WHERE d.merchant_id = NEW.merchant_id AND d.id = NEW.device_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER forget_device AFTER UPDATE OF status ON notification.push_delivery
  FOR EACH ROW WHEN (NEW.status = 'BOUNCED') EXECUTE FUNCTION notification.forget_device();

-- Where somebody wants it otherwise: without a row, everything is on.
CREATE TABLE notification.preference (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  kind text NOT NULL,
  channel text NOT NULL,
  enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT preference_key UNIQUE NULLS NOT DISTINCT (merchant_id, customer_id, kind, channel),
  CONSTRAINT preference_kind_fkey FOREIGN KEY (kind, channel) REFERENCES notification.kind_channel,
  CONSTRAINT preference_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON notification.preference
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- What holds for the merchant's own people, and for each customer: the preference, or that it is on.
CREATE VIEW notification.merchant_preference AS
SELECT m.id AS merchant_id, k.kind, k.channel, coalesce(p.enabled, true) AS enabled, k.required, p.updated_at
FROM merchant.merchant m
JOIN notification.kind_channel k ON k.audience = 'MERCHANT'
LEFT JOIN notification.preference p
  ON p.merchant_id = m.id AND p.customer_id IS NULL AND p.kind = k.kind AND p.channel = k.channel;

CREATE VIEW notification.customer_preference AS
SELECT c.merchant_id, c.id AS customer_id, k.kind, k.channel, coalesce(p.enabled, true) AS enabled, k.required, p.updated_at
FROM crm.customer c
JOIN notification.kind_channel k ON k.audience = 'CUSTOMER'
LEFT JOIN notification.preference p
  ON p.merchant_id = c.merchant_id AND p.customer_id = c.id AND p.kind = k.kind AND p.channel = k.channel;

-- Sets a preference. p_customer_id NULL: the merchant's own.
-- {outcome: 'changed', required} | {outcome: 'invalid', field, reason: 'unknown_customer' | 'not_of_audience' | 'required'}
CREATE FUNCTION notification.set_preference(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_kind text,
  p_channel text,
  p_enabled boolean
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_kind notification.kind_channel;
BEGIN
  IF p_customer_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id
  ) THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'customerId', 'reason', 'unknown_customer');
  END IF;
  SELECT * INTO v_kind FROM notification.kind_channel k WHERE k.kind = p_kind AND k.channel = p_channel;
  IF (v_kind.audience = 'MERCHANT') <> (p_customer_id IS NULL) THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'kind', 'reason', 'not_of_audience');
  END IF;
  IF v_kind.required AND NOT p_enabled THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'enabled', 'reason', 'required');
  END IF;
  INSERT INTO notification.preference (merchant_id, customer_id, kind, channel, enabled)
  VALUES (p_merchant_id, p_customer_id, p_kind, p_channel, p_enabled)
  ON CONFLICT ON CONSTRAINT preference_key DO UPDATE SET enabled = excluded.enabled;
  RETURN jsonb_build_object('outcome', 'changed', 'required', v_kind.required);
END
$$;

CREATE FUNCTION notification.wants(p_merchant_id uuid, p_customer_id uuid, p_kind text, p_channel text) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT NOT EXISTS (
    SELECT FROM notification.preference p
    WHERE p.merchant_id = p_merchant_id AND p.customer_id IS NOT DISTINCT FROM p_customer_id
      AND p.kind = p_kind AND p.channel = p_channel AND NOT p.enabled
  )
$$;

-- Writes down what is to be told, by every channel that is wanted, once for each subject and receiver however often it is
-- called. p_customer_id NULL with p_audience 'CUSTOMER': somebody without an account, who has an address and nothing else.
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
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_audience text := (SELECT min(k.audience) FROM notification.kind_channel k WHERE k.kind = p_kind);
  v_is_guest boolean := v_audience = 'CUSTOMER' AND p_customer_id IS NULL;
  v_wanted boolean := v_is_guest OR notification.wants(p_merchant_id, p_customer_id, p_kind, 'EMAIL');
BEGIN
  INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, facts, status, reason)
  VALUES (
    p_merchant_id, p_kind, p_subject_key, p_recipient, p_recipient_name, p_customer_id, p_facts,
    CASE WHEN v_wanted THEN 'QUEUED' ELSE 'SUPPRESSED' END,
    CASE WHEN NOT v_wanted THEN 'Switched off in the preferences' END
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
END
$$;

-- How an item's stock stood when it was last looked at, so that a change of it is seen once and not with every sale.
CREATE TABLE notification.stock_standing (
  merchant_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  standing text NOT NULL CHECK (standing IN ('OUT', 'LOW', 'PLENTY')),
  PRIMARY KEY (merchant_id, stock_item_id),
  CONSTRAINT stock_standing_item_fkey FOREIGN KEY (merchant_id, stock_item_id)
    REFERENCES inventory.stock_item ON DELETE CASCADE
);

-- That stock has crossed a line: RUN_LOW from above its threshold to at most it, BACK from nothing to something. An event
-- trigger takes it from here.
CREATE TABLE notification.stock_crossing (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  crossing text NOT NULL CHECK (crossing IN ('RUN_LOW', 'BACK')),
  available integer NOT NULL,
  threshold integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_crossing_item_fkey FOREIGN KEY (merchant_id, stock_item_id)
    REFERENCES inventory.stock_item ON DELETE CASCADE
);
CREATE INDEX stock_crossing_item ON notification.stock_crossing (merchant_id, stock_item_id);

-- The first level of an item is where it starts from and crosses nothing: imports and seeds alert nobody. Whoever changes
-- levels holds their locks, and the standing is locked after them.
CREATE FUNCTION notification.watch_stock() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_available integer;
  v_threshold integer;
  v_standing text;
  v_before text;
BEGIN
  SELECT i.available, i.low_stock_threshold INTO v_available, v_threshold
  FROM inventory.sku_inventory i WHERE i.merchant_id = NEW.merchant_id AND i.stock_item_id = NEW.stock_item_id;
  v_standing := CASE WHEN v_available = 0 THEN 'OUT' WHEN v_available <= v_threshold THEN 'LOW' ELSE 'PLENTY' END;
  SELECT s.standing INTO v_before FROM notification.stock_standing s
  WHERE s.merchant_id = NEW.merchant_id AND s.stock_item_id = NEW.stock_item_id;
  IF v_before = v_standing THEN
    RETURN NULL;
  END IF;
  INSERT INTO notification.stock_standing (merchant_id, stock_item_id, standing)
  VALUES (NEW.merchant_id, NEW.stock_item_id, v_standing)
  ON CONFLICT (merchant_id, stock_item_id) DO UPDATE SET standing = excluded.standing;
  INSERT INTO notification.stock_crossing (merchant_id, stock_item_id, crossing, available, threshold)
  SELECT NEW.merchant_id, NEW.stock_item_id, crossing, v_available, v_threshold
  FROM (VALUES
    ('RUN_LOW', v_before = 'PLENTY'),
    ('BACK', v_before = 'OUT')
  ) AS c (crossing, crossed)
  WHERE crossed;
  RETURN NULL;
END
$$;
INSERT INTO notification.stock_standing (merchant_id, stock_item_id, standing)
SELECT
  i.merchant_id, i.stock_item_id,
  CASE WHEN i.available = 0 THEN 'OUT' WHEN i.available <= i.low_stock_threshold THEN 'LOW' ELSE 'PLENTY' END
FROM inventory.sku_inventory i
WHERE EXISTS (
  SELECT FROM inventory.stock_level l WHERE l.merchant_id = i.merchant_id AND l.stock_item_id = i.stock_item_id
);
CREATE TRIGGER watch_stock AFTER INSERT OR UPDATE OF available ON inventory.stock_level
  FOR EACH ROW EXECUTE FUNCTION notification.watch_stock();

-- Who is at a customer, what was talked about, and how a customer is forgotten.

-- People at a customer that is a company.
CREATE TABLE crm.contact (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  title text,
  email citext,
  phone text,
  notes text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- What an interaction points at: somebody at that very customer.
  CONSTRAINT contact_of_customer_key UNIQUE (merchant_id, customer_id, id),
  CONSTRAINT contact_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX contact_name ON crm.contact (merchant_id, customer_id, name, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON crm.contact
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE crm.interaction (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  contact_id uuid,
  type text NOT NULL CHECK (type IN ('CALL', 'EMAIL', 'MEETING', 'NOTE')),
  subject text NOT NULL CHECK (subject <> ''),
  body text,
  -- Who of the merchant's it was, as they want to be named.
  author text CHECK (author <> ''),
  occurred_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT interaction_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE,
  CONSTRAINT interaction_contact_fkey FOREIGN KEY (merchant_id, customer_id, contact_id)
    REFERENCES crm.contact (merchant_id, customer_id, id) ON DELETE SET NULL (contact_id)
);
CREATE INDEX interaction_occurred_at ON crm.interaction (merchant_id, customer_id, occurred_at, id);
CREATE INDEX interaction_contact ON crm.interaction (merchant_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON crm.interaction
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- Orders outlive the customer who wants to be forgotten, so the customer's row stays, without the person.
ALTER TABLE crm.customer ADD COLUMN anonymized_at timestamptz;
CREATE TRIGGER anonymized AFTER UPDATE OF anonymized_at ON crm.customer
  FOR EACH ROW EXECUTE FUNCTION merchant.notify_access_changed();

-- Forgets a customer: who it was, where they live, what was talked about, and what they wrote. Orders and payments stay as they are,
-- with the addresses that stand in them, because books are kept.
-- {outcome: 'changed', customerId} | {outcome: 'unknown_customer' | 'orders_under_way' | 'appointments_ahead'}
CREATE FUNCTION crm.anonymize_customer(p_merchant_id uuid, p_customer_id uuid) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_email citext;
BEGIN
  -- Orders and appointments hold on to the customer's row: none can come between looking and forgetting.
  SELECT c.email INTO v_email FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  IF EXISTS (
    SELECT FROM ordering.order o
    WHERE o.merchant_id = p_merchant_id AND o.customer_id = p_customer_id
      AND o.status IN ('PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED')
  ) THEN
    RETURN jsonb_build_object('outcome', 'orders_under_way');
  END IF;
  IF EXISTS (
    SELECT FROM booking.appointment a
    WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id AND a.status IN ('SCHEDULED', 'CONFIRMED', 'IN_PROGRESS')
  ) THEN
    RETURN jsonb_build_object('outcome', 'appointments_ahead');
  END IF;
  -- What the customer sent with an Idempotency-Key, and what others sent about it: before the ids that tell so are gone.
  DELETE FROM platform.idempotency_record r
  WHERE r.merchant_id = p_merchant_id AND (
    r.caller = 'customer:' || p_customer_id
    OR p_customer_id = ANY (r.record_ids)
    OR r.record_ids && ARRAY(
      SELECT a.id FROM crm.address a WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
      UNION ALL
      SELECT i.id FROM crm.interaction i WHERE i.merchant_id = p_merchant_id AND i.customer_id = p_customer_id
      UNION ALL
      SELECT c.id FROM crm.contact c WHERE c.merchant_id = p_merchant_id AND c.customer_id = p_customer_id
    )
  );
  DELETE FROM crm.address a WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id;
  DELETE FROM crm.interaction i WHERE i.merchant_id = p_merchant_id AND i.customer_id = p_customer_id;
  DELETE FROM crm.contact c WHERE c.merchant_id = p_merchant_id AND c.customer_id = p_customer_id;
  DELETE FROM identity.credential x WHERE x.merchant_id = p_merchant_id AND x.customer_id = p_customer_id;
  DELETE FROM identity.session x WHERE x.merchant_id = p_merchant_id AND x.customer_id = p_customer_id;
  DELETE FROM identity.known_client x WHERE x.merchant_id = p_merchant_id AND x.customer_id = p_customer_id;
  DELETE FROM identity.one_time_token x WHERE x.merchant_id = p_merchant_id AND x.customer_id = p_customer_id;
  DELETE FROM identity.sign_in_attempt x
  WHERE x.merchant_id = p_merchant_id AND x.subject = 'CUSTOMER' AND x.email = v_email;
  DELETE FROM inventory.stock_alert a WHERE a.merchant_id = p_merchant_id AND a.email = v_email;
  DELETE FROM cart.cart c
  WHERE c.merchant_id = p_merchant_id AND c.customer_id = p_customer_id
    AND NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = c.merchant_id AND o.cart_id = c.id);
  UPDATE catalog.review r SET author_name = 'Anonymous' WHERE r.merchant_id = p_merchant_id AND r.customer_id = p_customer_id;
  UPDATE booking.appointment a SET notes = NULL WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id;
  UPDATE crm.customer c
  SET
    -- A domain that RFC 2606 keeps from ever being anybody's.
    email = 'anonymized-' || c.id || '@customer.invalid',
    name = 'Anonymized customer',
    phone = NULL,
    notes = NULL,
    tags = '{}',
    marketing_opt_in = false,
    email_verified = false,
    blocked_at = NULL,
    blocked_reason = NULL,
    anonymized_at = coalesce(c.anonymized_at, now())
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id;
  -- What the customer asked for ("leave it with ..."), and what earlier wordings of it the orders' histories have kept.
  UPDATE ordering.order o SET notes = NULL
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = p_customer_id AND o.notes IS NOT NULL;
  UPDATE ordering.history_entry h SET note = NULL
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = p_customer_id
    AND h.merchant_id = o.merchant_id AND h.order_id = o.id AND h.type = 'NOTES_CHANGED' AND h.note IS NOT NULL;
  RETURN jsonb_build_object('outcome', 'changed', 'customerId', p_customer_id);
END
$$;

-- Who did what to an order, and when. Written by triggers, in the transaction of the change, so that nobody who changes
-- an order has to remember it, and never changed again.

-- Who a transaction acts for. Hasura says it for its own mutations in the setting hasura.user; an action says it by
-- selecting its function FROM platform.acting_as(session). A job says nothing.
CREATE FUNCTION platform.acting_as(p_session jsonb) RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  PERFORM set_config('hasura.user', p_session::text, true);
  RETURN true;
END
$$;

CREATE TYPE platform.actor AS (
  -- MERCHANT: a key or user of the merchant. CUSTOMER: a shopper. SYSTEM: a job or a payment processor.
  kind text,
  -- The user's, key's or customer's.
  id uuid
);

CREATE FUNCTION platform.current_actor() RETURNS platform.actor
LANGUAGE sql STABLE
AS $$
  SELECT ROW(
    CASE s.session ->> 'x-hasura-role' WHEN 'merchant' THEN 'MERCHANT' WHEN 'customer' THEN 'CUSTOMER' ELSE 'SYSTEM' END,
    CASE s.session ->> 'x-hasura-role'
      WHEN 'merchant' THEN coalesce(s.session ->> 'x-hasura-user-id', s.session ->> 'x-hasura-key-id')
      WHEN 'customer' THEN s.session ->> 'x-hasura-customer-id'
    END::uuid
  )::platform.actor
  -- After a transaction that set it, a custom setting is '' and not NULL.
  FROM (SELECT nullif(current_setting('hasura.user', true), '')::jsonb AS session) s
$$;

CREATE TABLE ordering.history_entry (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN (
    'PLACED', 'MODIFIED', 'STATUS_CHANGED', 'NOTES_CHANGED', 'TAGS_CHANGED', 'NOTE_ADDED',
    'SHIPMENT_PACKED', 'SHIPMENT_SHIPPED', 'SHIPMENT_DELIVERED', 'SHIPMENT_CANCELLED', 'SHIPMENT_CHANGED',
    'PAYMENT_STARTED', 'PAYMENT_AUTHORIZED', 'PAYMENT_SUCCEEDED', 'PAYMENT_FAILED', 'PAYMENT_CANCELLED',
    'REFUND_STARTED', 'REFUND_SUCCEEDED', 'REFUND_FAILED',
    'RETURN_REQUESTED', 'RETURN_APPROVED', 'RETURN_REJECTED', 'RETURN_RECEIVED', 'RETURN_REFUNDED', 'RETURN_CANCELLED'
  )),
  from_status text,
  to_status text,
  amount bigint,
  note text,
  -- The shipment, payment, refund or return.
  subject_id uuid,
  -- Not for the customer's eyes.
  staff_only boolean NOT NULL DEFAULT false,
  actor text NOT NULL CHECK (actor IN ('MERCHANT', 'CUSTOMER', 'SYSTEM')),
  actor_id uuid,
  -- Of several in one transaction each is later than the one before.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT history_entry_order_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order ON DELETE CASCADE
);
CREATE INDEX history_entry_order ON ordering.history_entry (merchant_id, order_id, created_at, id);

-- Entries go with their order only. What an anonymized customer had asked for is forgotten, and that it was changed stays.
CREATE FUNCTION ordering.keep_history() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (
    SELECT FROM ordering.order o WHERE o.merchant_id = OLD.merchant_id AND o.id = OLD.order_id
  ) THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.type = 'NOTES_CHANGED' AND to_jsonb(NEW) = to_jsonb(OLD) || '{"note": null}' AND EXISTS (
    SELECT FROM ordering.order o
    JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
    WHERE o.merchant_id = OLD.merchant_id AND o.id = OLD.order_id AND c.anonymized_at IS NOT NULL
  ) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the history of an order is never changed';
END
$$;
CREATE TRIGGER keep_history BEFORE UPDATE OR DELETE ON ordering.history_entry
  FOR EACH ROW EXECUTE FUNCTION ordering.keep_history();

CREATE FUNCTION ordering.record(
  p_merchant_id uuid,
  p_order_id uuid,
  p_type text,
  p_from_status text DEFAULT NULL,
  p_to_status text DEFAULT NULL,
  p_amount bigint DEFAULT NULL,
  p_note text DEFAULT NULL,
  p_subject_id uuid DEFAULT NULL,
  p_staff_only boolean DEFAULT false,
  p_at timestamptz DEFAULT clock_timestamp()
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_actor platform.actor := platform.current_actor();
BEGIN
  INSERT INTO ordering.history_entry
    (merchant_id, order_id, type, from_status, to_status, amount, note, subject_id, staff_only, actor, actor_id, created_at)
  VALUES
    (p_merchant_id, p_order_id, p_type, p_from_status, p_to_status, p_amount, p_note, p_subject_id, p_staff_only,
     v_actor.kind, v_actor.id, p_at);
END
$$;

CREATE FUNCTION ordering.record_order() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM ordering.record(
      NEW.merchant_id, NEW.id, 'PLACED', p_to_status => NEW.status, p_amount => NEW.total, p_at => NEW.created_at
    );
    RETURN NULL;
  END IF;
  IF NEW.status <> OLD.status THEN
    PERFORM ordering.record(
      NEW.merchant_id, NEW.id, 'STATUS_CHANGED', OLD.status, NEW.status,
      p_note => CASE WHEN NEW.status = 'CANCELLED' THEN NEW.cancel_reason END
    );
  END IF;
  IF NEW.notes IS DISTINCT FROM OLD.notes THEN
    PERFORM ordering.record(NEW.merchant_id, NEW.id, 'NOTES_CHANGED', p_note => NEW.notes);
  END IF;
  IF NEW.tags <> OLD.tags THEN
    PERFORM ordering.record(
      NEW.merchant_id, NEW.id, 'TAGS_CHANGED', p_note => array_to_string(NEW.tags, ', '), p_staff_only => true
    );
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER record_order AFTER INSERT OR UPDATE OF status, notes, tags ON ordering.order
  FOR EACH ROW EXECUTE FUNCTION ordering.record_order();

-- A remark about an order. {outcome: 'noted', orderId} | {outcome: 'unknown_order'}
CREATE FUNCTION ordering.add_note(p_merchant_id uuid, p_order_id uuid, p_text text, p_staff_only boolean) RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  PERFORM ordering.record(p_merchant_id, p_order_id, 'NOTE_ADDED', p_note => p_text, p_staff_only => p_staff_only);
  RETURN jsonb_build_object('outcome', 'noted', 'orderId', p_order_id);
END
$$;

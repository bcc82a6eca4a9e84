CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.dispute
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.account
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.payment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.refund
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION payment.fill_amounts()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED') THEN
    NEW.captured_amount := coalesce(nullif(NEW.captured_amount, 0), NEW.amount);
    NEW.refund_requested_amount := greatest(NEW.refund_requested_amount, NEW.refunded_amount);
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_amounts
BEFORE INSERT ON payment.payment
FOR EACH ROW
EXECUTE FUNCTION payment.fill_amounts();

CREATE FUNCTION payment.record_payment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.order_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        CASE
          WHEN NEW.status = 'PENDING' THEN 'PAYMENT_STARTED'
          ELSE 'PAYMENT_SUCCEEDED'
        END,
        p_amount => NEW.amount,
        p_note => NEW.method,
        p_subject_id => NEW.id,
        p_at => NEW.created_at
      );
  ELSEIF OLD.authorized_at IS NULL AND NEW.authorized_at IS NOT NULL THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        'PAYMENT_AUTHORIZED',
        p_amount => NEW.amount,
        p_subject_id => NEW.id
      );
  ELSEIF OLD.captured_amount > 0 AND NEW.captured_amount > OLD.captured_amount THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        'PAYMENT_SUCCEEDED',
        p_amount => NEW.captured_amount - OLD.captured_amount,
        p_subject_id => NEW.id
      );
  ELSEIF NEW.status <> OLD.status AND NEW.status IN ('SUCCEEDED', 'FAILED', 'CANCELLED') THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        'PAYMENT_' || NEW.status,
        p_amount =>
          CASE
            WHEN NEW.status = 'SUCCEEDED' THEN NEW.captured_amount
            ELSE NEW.amount
          END,
        p_note => NEW.failure_reason,
        p_subject_id => NEW.id
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_payment
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.status NOT IN ('FAILED', 'CANCELLED') AND NOT platform.importing())
EXECUTE FUNCTION payment.record_payment();

CREATE TRIGGER record_payment_change
AFTER UPDATE OF status, authorized_at, captured_amount ON payment.payment
FOR EACH ROW
EXECUTE FUNCTION payment.record_payment();

CREATE FUNCTION payment.record_refund()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_id uuid := (
    SELECT p.order_id FROM payment.payment p WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.payment_id
  );
BEGIN
  IF v_order_id IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.status <> OLD.status) THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        v_order_id,
        CASE
          WHEN NEW.status = 'PENDING' THEN 'REFUND_STARTED'
          ELSE 'REFUND_' || NEW.status
        END,
        p_amount => NEW.amount,
        p_note =>
          CASE
            WHEN NEW.status = 'FAILED' THEN NEW.failure_reason
            ELSE NEW.reason
          END,
        p_subject_id => NEW.id,
        p_staff_only => NEW.status = 'FAILED',
        p_at =>
          CASE
            WHEN TG_OP = 'INSERT'
            AND NEW.status <> 'PENDING' THEN NEW.created_at
            ELSE clock_timestamp()
          END
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_refund
AFTER INSERT OR UPDATE OF status ON payment.refund
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION payment.record_refund();

CREATE FUNCTION payment.note_succeeded_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.succeeded_at := CASE TG_OP
    WHEN 'INSERT' THEN NEW.created_at
    ELSE now()
  END;
  RETURN NEW;
END;
$$;

-- Money that came back to the processor after it had been given back is with the merchant again.
CREATE FUNCTION payment.forget_succeeded_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.succeeded_at := NULL;
  RETURN NEW;
END;
$$;

CREATE TRIGGER forget_succeeded_at
BEFORE UPDATE OF status ON payment.refund
FOR EACH ROW
WHEN (OLD.status = 'SUCCEEDED' AND NEW.status = 'FAILED')
EXECUTE FUNCTION payment.forget_succeeded_at();

CREATE TRIGGER note_succeeded_at
BEFORE INSERT OR UPDATE OF status ON payment.refund
FOR EACH ROW
WHEN (NEW.succeeded_at IS NULL AND NEW.status = 'SUCCEEDED')
EXECUTE FUNCTION payment.note_succeeded_at();

CREATE FUNCTION payment.keep_within_total()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_total bigint;
BEGIN
  -- Payments of an order that begin at the same time wait for each other.
  SELECT o.total
  INTO v_total
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id
  FOR UPDATE;
  IF payment.promised(NEW.merchant_id, NEW.order_id, FALSE) > v_total THEN
    PERFORM
      platform.violate(
        'payment.payment',
        'payment_within_total',
        'the payments of an order come to no more than its total'
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_within_total
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.order_id IS NOT NULL AND NEW.status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED'))
EXECUTE FUNCTION payment.keep_within_total();

CREATE FUNCTION payment.follow_payments_of_appointment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE booking.appointment a
  SET paid_amount = (
    SELECT coalesce(sum(p.captured_amount - p.refund_requested_amount), 0)
    FROM payment.payment p
    WHERE p.merchant_id = NEW.merchant_id AND p.appointment_id = NEW.appointment_id
  )
  WHERE a.merchant_id = NEW.merchant_id AND a.id = NEW.appointment_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_payments_of_appointment
AFTER INSERT OR UPDATE OF captured_amount, refund_requested_amount ON payment.payment
FOR EACH ROW
WHEN (NEW.appointment_id IS NOT NULL AND NEW.captured_amount > 0)
EXECUTE FUNCTION payment.follow_payments_of_appointment();

CREATE FUNCTION payment.keep_within_appointment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
BEGIN
  -- Payments of an appointment that begin at the same time wait for each other.
  SELECT *
  INTO v_appointment
  FROM booking.appointment a
  WHERE a.merchant_id = NEW.merchant_id AND a.id = NEW.appointment_id
  FOR UPDATE;
  IF
    payment.promised_for_appointment(
      NEW.merchant_id,
      NEW.appointment_id
    ) > v_appointment.amount_due + v_appointment.paid_amount
  THEN
    PERFORM
      platform.violate(
        'payment.payment',
        'payment_within_price',
        'the payments of an appointment come to no more than its price, or the fee of one that is over'
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_within_appointment
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.appointment_id IS NOT NULL AND NEW.status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED'))
EXECUTE FUNCTION payment.keep_within_appointment();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.saved_method
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.customer_removal
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION payment.remove_at_processor()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of a merchant that is deleted, nothing is asked of processors any more.
  IF NOT merchant.deletion_is_due(OLD.merchant_id) THEN
    INSERT INTO payment.customer_removal (merchant_id, id, processor, account_id, processor_customer_id)
    VALUES (OLD.merchant_id, OLD.id, OLD.processor, OLD.account_id, OLD.processor_customer_id);
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER remove_at_processor
AFTER DELETE ON payment.processor_customer
FOR EACH ROW
WHEN (OLD.processor_customer_id IS NOT NULL)
EXECUTE FUNCTION payment.remove_at_processor();

-- The card of a payment is saved at the processor as soon as that takes or reserves the money.
CREATE FUNCTION payment.save_method_of_payment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method;
BEGIN
  UPDATE payment.saved_method s
  SET
    status = CASE
      WHEN NEW.status IN ('FAILED', 'CANCELLED') THEN 'FAILED'
      ELSE 'ACTIVE'
    END,
    processor_method_id = NEW.processor_payment_method_id,
    brand = NEW.brand,
    last4 = NEW.last4,
    expiry_month = NEW.expiry_month,
    expiry_year = NEW.expiry_year
  WHERE s.merchant_id = NEW.merchant_id AND s.payment_id = NEW.id AND s.status = 'PENDING'
  RETURNING s.*
  INTO v_method;
  -- Payments don't wait for customers, which are locked before them elsewhere. One that is locked gets its default from
  -- the transaction that has locked it, or has none until a method is chosen.
  PERFORM
  FROM crm.customer c
  WHERE c.merchant_id = v_method.merchant_id AND c.id = v_method.customer_id
  FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN
    PERFORM payment.keep_default_method(v_method.merchant_id, v_method.customer_id);
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER save_method_of_payment
AFTER UPDATE OF status, authorized_at ON payment.payment
FOR EACH ROW
WHEN (NEW.saved_method = 'KEPT' AND (NEW.status NOT IN ('PENDING', 'PROCESSING') OR NEW.authorized_at IS NOT NULL))
EXECUTE FUNCTION payment.save_method_of_payment();

-- p_amount NULL: what is due now, which is the rest of the prepayment while the appointment's time is kept for it, and
-- all that is left to pay otherwise.
--
-- answers:
--   begun {paymentId: uuid}
--   | unknown_appointment {}
--   | nothing_to_pay {status: booking.appointment.status}
--   | too_late {}
--   | amount_mismatch {total: bigint}
--   | method_not_accepted {}
--   | return_url_missing {}
--   | payment_open {paymentId: uuid}
-- nullable: p_customer_id, p_amount, p_account_id, p_payment_method_id, p_return_url
CREATE FUNCTION payment.begin_appointment_payment(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_customer_id uuid,
  p_method text,
  p_amount bigint,
  p_processor text,
  p_account_id uuid,
  p_payment_method_id text,
  p_return_url text,
  p_awaited boolean
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_open payment.payment;
  v_payment_id uuid := platform.uuid_v7();
BEGIN
  SELECT *
  INTO v_appointment
  FROM booking.appointment a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND (p_customer_id IS NULL OR a.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_appointment');
  END IF;
  IF v_appointment.amount_due = 0 THEN
    RETURN jsonb_build_object('outcome', 'nothing_to_pay', 'status', v_appointment.status);
  END IF;
  IF
    NOT payment.accepts_method(
      p_merchant_id,
      NULL,
      v_appointment.currency,
      NULL,
      v_appointment.price,
      p_method,
      p_customer_id IS NOT NULL
    )
  THEN
    RETURN jsonb_build_object('outcome', 'method_not_accepted');
  END IF;
  -- The customer is sent to PayPal, and has to come back.
  IF p_method = 'PAYPAL' AND p_return_url IS NULL THEN
    RETURN jsonb_build_object('outcome', 'return_url_missing');
  END IF;
  -- Locked against the merchant, who may be disabling it.
  IF p_account_id IS NOT NULL THEN
    PERFORM
    FROM payment.account a
    WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.status = 'ACTIVE'
    FOR SHARE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'method_not_accepted');
    END IF;
  END IF;
  -- Errors of the request are returned before an open payment is given up.
  IF p_amount > v_appointment.amount_due THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_appointment.amount_due);
  END IF;
  v_open := payment.open_payment_of_appointment(p_merchant_id, p_appointment_id);
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id);
  END IF;
  -- One that the job hasn't cancelled yet is over all the same.
  IF v_appointment.payment_due_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'too_late');
  END IF;
  INSERT INTO payment.payment
    (
      merchant_id,
      id,
      appointment_id,
      amount,
      currency,
      method,
      processor,
      account_id,
      processor_payment_method_id,
      return_url,
      awaited,
      instructions,
      reference
    )
  VALUES
    (
      p_merchant_id,
      v_payment_id,
      p_appointment_id,
      coalesce(
        p_amount,
        CASE
          WHEN v_appointment.payment_due_at IS NOT NULL THEN v_appointment.prepayment - v_appointment.paid_amount
          ELSE v_appointment.amount_due
        END
      ),
      v_appointment.currency,
      p_method,
      p_processor,
      p_account_id,
      p_payment_method_id,
      p_return_url,
      p_awaited,
      CASE
        WHEN p_awaited THEN (
          SELECT o.instructions
          FROM payment.payment_option o
          WHERE o.merchant_id = p_merchant_id AND o.method = p_method
        )
      END,
      CASE
        WHEN p_awaited THEN payment.creditor_reference(platform.place(), right(p_appointment_id::text, 12))
      END
    );
  IF p_awaited THEN
    PERFORM booking.await_payment(p_merchant_id, p_appointment_id, p_method);
  END IF;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', v_payment_id);
END;
$$;

-- An appointment that is cancelled or missed costs its fee at most: the rest of what was paid goes back. p_fee: as
-- booking.fee_of takes it.
--
-- answers:
--   changed {appointmentId: uuid, refundIds: uuid[]}
--   | invalid {refusals: booking.refusal[]}
--   | unknown {}
--   | not_allowed {status: booking.appointment.status}
--   | payment_open {paymentId: uuid}
-- nullable: p_owner_id
CREATE FUNCTION booking.change_status(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_owner_id uuid,
  p_from text[],
  p_to text,
  p_when text,
  p_fee text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_reason text;
  v_ends boolean := p_to IN ('CANCELLED', 'NO_SHOW');
  v_open_id uuid;
  v_refund_ids uuid[] := '{}';
BEGIN
  SELECT *
  INTO v_appointment
  FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND (p_owner_id IS NULL OR a.customer_id = p_owner_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_appointment.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_appointment.status);
  END IF;
  v_reason := CASE
    WHEN p_when = 'begun'
    AND v_appointment.start_time > now() THEN 'not_begun'
    WHEN p_when = 'ahead'
    AND v_appointment.start_time <= now() THEN 'already_begun'
  END;
  IF v_reason IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'id', 'reason', v_reason))
    );
  END IF;
  IF v_ends THEN
    v_open_id := (payment.open_payment_of_appointment(p_merchant_id, p_appointment_id)).id;
    IF v_open_id IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open_id);
    END IF;
  END IF;
  -- Whatever the shop says of an appointment, it is no longer kept for the prepayment only.
  UPDATE booking.appointment a
  SET
    status = p_to,
    payment_due_at = NULL,
    fee = booking.fee_of(a, p_fee)
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id
  RETURNING *
  INTO v_appointment;
  IF v_ends THEN
    v_refund_ids := booking.refund_beyond(
      p_merchant_id,
      p_appointment_id,
      v_appointment.fee,
      CASE p_to
        WHEN 'CANCELLED' THEN 'The appointment was cancelled'
        ELSE 'The customer did not come'
      END
    );
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'changed',
    'appointmentId',
    p_appointment_id,
    'refundIds',
    to_jsonb(v_refund_ids)
  );
END;
$$;

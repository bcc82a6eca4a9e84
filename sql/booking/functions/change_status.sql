-- answers: booking.book() | unknown {} | not_allowed {status: booking.appointment.status}
-- nullable: p_owner_id
CREATE FUNCTION booking.change_status(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_owner_id uuid,
  p_from text[],
  p_to text,
  p_when text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_reason text;
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
  UPDATE booking.appointment a SET status = p_to WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
  RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', p_appointment_id);
END;
$$;

-- answers: booking.book() | unknown {} | not_allowed {status: booking.appointment.status}
-- nullable: p_owner_id, p_staff_id
CREATE FUNCTION booking.reschedule(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_owner_id uuid,
  p_start timestamptz,
  p_staff_id uuid,
  p_from text[],
  p_to text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_refusals jsonb;
  v_end timestamptz;
  v_staff_id uuid;
  v_resource_ids uuid[];
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
  v_staff_id := coalesce(p_staff_id, v_appointment.staff_id);
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', field, 'reason', reason)), '[]')
  INTO v_refusals
  FROM
    (
      VALUES
        (
          'id',
          coalesce(
            CASE
              WHEN p_owner_id IS NOT NULL THEN booking.move_refusal(v_appointment)
            END,
            CASE
              WHEN booking.lacks_resources(p_merchant_id, v_appointment.service_id) THEN 'too_few_resources'
            END
          )
        ),
        ('startTime', booking.start_refusal(p_start)),
        ('staffId', booking.staff_refusal(p_merchant_id, v_staff_id, v_appointment.service_id))
    ) AS r (field, reason)
  WHERE reason IS NOT NULL;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_end := p_start + make_interval(mins => v_appointment.duration);
  v_reason := booking.hold_time(p_merchant_id, v_staff_id, p_start, v_end, p_appointment_id);
  IF v_reason IS NULL THEN
    v_resource_ids := booking.hold_resources(p_merchant_id, v_appointment.service_id, p_start, v_end, p_appointment_id);
    v_reason := CASE
      WHEN v_resource_ids IS NULL THEN 'resources_taken'
    END;
  END IF;
  IF v_reason IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'startTime', 'reason', v_reason))
    );
  END IF;
  -- Before the move: what it had may be taken at the new time.
  DELETE FROM booking.appointment_resource r
  WHERE r.merchant_id = p_merchant_id AND r.appointment_id = p_appointment_id;
  UPDATE booking.appointment a
  SET
    start_time = p_start,
    end_time = v_end,
    staff_id = v_staff_id,
    status = p_to,
    -- `least` leaves NULL out, and an appointment that waits for no money shall not begin to.
    payment_due_at = CASE
      WHEN a.payment_due_at IS NOT NULL THEN least(p_start, a.payment_due_at)
    END
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
  PERFORM booking.assign_resources(p_merchant_id, p_appointment_id, v_resource_ids);
  RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', p_appointment_id);
END;
$$;

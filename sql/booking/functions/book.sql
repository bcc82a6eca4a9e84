-- type booking.refusal =
--   {
--   field: 'id' | 'serviceId' | 'staffId' | 'customerId' | 'startTime',
--   reason: 'unknown_service' | 'service_not_active' | 'nobody_offers_it' | 'unknown_staff' | 'staff_not_active'
--   | 'service_not_offered' | 'unknown_customer' | 'in_the_past' | 'too_far_ahead' | 'not_a_whole_minute'
--   | 'outside_working_hours' | 'taken' | 'too_few_resources' | 'resources_taken' | 'already_begun' | 'not_begun'
--   | 'too_late_to_move' | 'too_many_ahead'
--   }
-- answers: changed {appointmentId: uuid} | invalid {refusals: booking.refusal[]}
-- nullable: p_staff_id, p_notes, p_most_ahead
CREATE FUNCTION booking.book(
  p_merchant_id uuid,
  p_service_id uuid,
  p_staff_id uuid,
  p_customer_id uuid,
  p_start timestamptz,
  p_notes text,
  -- Appointments that the buyer may have ahead; NULL for the shop, which books as many as it wants.
  p_most_ahead integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_service booking.service;
  v_refusals jsonb;
  v_prepayment bigint;
  v_end timestamptz;
  v_staff_id uuid;
  v_resource_ids uuid[];
  v_reason text;
  v_reasons text[] := '{}';
  v_appointment_id uuid := platform.uuid_v7();
BEGIN
  SELECT * INTO v_service FROM booking.service s WHERE s.merchant_id = p_merchant_id AND s.id = p_service_id;
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', field, 'reason', reason)), '[]')
  INTO v_refusals
  FROM
    (
      VALUES
        (
          'serviceId',
          CASE
            WHEN v_service.id IS NULL THEN 'unknown_service'
            WHEN NOT v_service.active THEN 'service_not_active'
            WHEN booking.lacks_resources(p_merchant_id, p_service_id) THEN 'too_few_resources'
          END
        ),
        (
          'staffId',
          CASE
            WHEN p_staff_id IS NOT NULL THEN nullif(
              booking.staff_refusal(p_merchant_id, p_staff_id, p_service_id),
              -- Of an unknown service there is nothing more to say.
              CASE
                WHEN v_service.id IS NULL THEN 'service_not_offered'
              END
            )
          END
        ),
        (
          'customerId',
          CASE
            WHEN NOT EXISTS (
              SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id
            ) THEN 'unknown_customer'
            WHEN booking.has_ahead(p_merchant_id, p_customer_id, p_most_ahead) THEN 'too_many_ahead'
          END
        ),
        ('startTime', booking.start_refusal(p_start))
    ) AS r (field, reason)
  WHERE reason IS NOT NULL;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_prepayment := booking.prepayment(v_service);
  v_end := p_start + make_interval(mins => v_service.duration);
  -- In one order for everybody, so that no two bookings wait for each other's calendars.
  FOR v_staff_id IN SELECT m.id
  FROM
    booking.staff_service o
    JOIN booking.staff_member m ON m.merchant_id = o.merchant_id AND m.id = o.staff_id AND m.active
  WHERE
    o.merchant_id = p_merchant_id
    AND o.service_id = p_service_id
    AND (p_staff_id IS NULL OR o.staff_id = p_staff_id)
  ORDER BY m.priority, m.id LOOP
    v_reason := booking.hold_time(p_merchant_id, v_staff_id, p_start, v_end, NULL);
    IF v_reason IS NULL THEN
      v_resource_ids := booking.hold_resources(p_merchant_id, p_service_id, p_start, v_end, NULL);
      IF v_resource_ids IS NULL THEN
        -- They are taken for every other staff member as well.
        v_reasons := ARRAY['resources_taken'];
        EXIT;
      END IF;
      INSERT INTO booking.appointment
        (
          merchant_id,
          id,
          service_id,
          staff_id,
          customer_id,
          start_time,
          end_time,
          notes,
          booked_here,
          price,
          currency,
          prepayment,
          no_show_fee,
          cancellation_minutes,
          payment_due_at
        )
      VALUES
        (
          p_merchant_id,
          v_appointment_id,
          p_service_id,
          v_staff_id,
          p_customer_id,
          p_start,
          v_end,
          p_notes,
          TRUE,
          v_service.price,
          v_service.currency,
          v_prepayment,
          least(v_service.price, coalesce(v_service.no_show_fee, v_prepayment)),
          v_service.cancellation_minutes,
          CASE
            WHEN v_prepayment > 0 THEN least(
              p_start,
              now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'))
            )
          END
        );
      PERFORM booking.assign_resources(p_merchant_id, v_appointment_id, v_resource_ids);
      RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', v_appointment_id);
    END IF;
    v_reasons := v_reasons || v_reason;
  END LOOP;
  RETURN jsonb_build_object(
    'outcome',
    'invalid',
    'refusals',
    jsonb_build_array(
      CASE
        WHEN v_reasons = '{}' THEN jsonb_build_object('field', 'serviceId', 'reason', 'nobody_offers_it')
        WHEN 'resources_taken' = ANY (v_reasons) THEN jsonb_build_object(
          'field',
          'startTime',
          'reason',
          'resources_taken'
        )
        WHEN 'taken' = ANY (v_reasons) THEN jsonb_build_object('field', 'startTime', 'reason', 'taken')
        ELSE jsonb_build_object('field', 'startTime', 'reason', 'outside_working_hours')
      END
    )
  );
END;
$$;

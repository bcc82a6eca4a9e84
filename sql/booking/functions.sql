CREATE FUNCTION booking.local_hours(p_day date, p_start text, p_end text, p_time_zone text)
RETURNS tstzrange
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN s < e THEN tstzrange(s, e)
      ELSE 'empty'
    END
  FROM
    (
      SELECT (p_day + p_start::time) AT TIME ZONE p_time_zone AS s, (p_day + p_end::time) AT TIME ZONE p_time_zone AS e
    ) t;
$$;

CREATE FUNCTION booking.free_time(p_merchant_id uuid, p_staff_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS tstzmultirange
LANGUAGE sql
STABLE
AS $$
  SELECT
    booking.working_hours(p_merchant_id, p_staff_id, p_from, p_to) - coalesce(
      range_agg(tstzrange(a.start_time, a.end_time)),
      '{}'
    )
  FROM booking.appointment a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.staff_id = p_staff_id
    AND a.takes_time
    AND tstzrange(a.start_time, a.end_time) && tstzrange(p_from, p_to);
$$;

CREATE FUNCTION booking.slots(
  p_merchant_id uuid,
  p_service_id uuid,
  p_staff_id uuid,
  p_from timestamptz,
  p_to timestamptz
)
RETURNS SETOF booking.available_slot
LANGUAGE sql
STABLE
AS $$
  SELECT p_merchant_id, s.id, m.id, start, start + length
  FROM
    booking.service s
    CROSS JOIN LATERAL (SELECT make_interval(mins => s.duration) AS length) l
    JOIN booking.staff_service o ON o.merchant_id = s.merchant_id AND o.service_id = s.id
    JOIN booking.staff_member m ON m.merchant_id = o.merchant_id AND m.id = o.staff_id AND m.active
    CROSS JOIN LATERAL unnest(booking.free_time(p_merchant_id, m.id, p_from, p_to + length)) AS free (during)
    CROSS JOIN LATERAL generate_series(
      -- The first quarter that isn't before the free time.
      date_bin('15 minutes', lower(during) + INTERVAL '14 minutes 59.999999 seconds', 'epoch'),
      upper(during) - length,
      '15 minutes'
    ) AS start
  WHERE
    s.merchant_id = p_merchant_id
    AND s.id = p_service_id
    AND s.active
    AND (p_staff_id IS NULL OR m.id = p_staff_id)
    AND start < p_to
    AND NOT booking.lacks_resources(p_merchant_id, p_service_id)
    -- A subquery is computed once, not for each slot.
    AND NOT (SELECT booking.starts_without_resources(p_merchant_id, p_service_id, p_from, p_to)) @> start;
$$;

CREATE FUNCTION booking.horizon()
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT now() + INTERVAL '366 days';
$$;

CREATE FUNCTION booking.availability(
  hasura_session json,
  service_id uuid,
  "from" timestamptz,
  "to" timestamptz,
  staff_id uuid DEFAULT NULL
)
RETURNS SETOF booking.available_slot
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  -- A slot at this very moment would be in the past before a client could book it.
  v_from timestamptz := greatest("from", now() + INTERVAL '1 minute');
  v_to timestamptz := least("to", booking.horizon(), v_from + INTERVAL '31 days');
BEGIN
  IF v_from < v_to THEN
    RETURN QUERY SELECT *
      FROM booking.slots((hasura_session ->> 'x-hasura-merchant-id')::uuid, service_id, staff_id, v_from, v_to);
  END IF;
END;
$$;

CREATE FUNCTION booking.start_refusal(p_start timestamptz)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_start <= now() THEN 'in_the_past'
      WHEN p_start >= booking.horizon() THEN 'too_far_ahead'
      WHEN p_start <> date_trunc('minute', p_start) THEN 'not_a_whole_minute'
    END;
$$;

CREATE FUNCTION booking.staff_refusal(p_merchant_id uuid, p_staff_id uuid, p_service_id uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN m.id IS NULL THEN 'unknown_staff'
      WHEN NOT m.active THEN 'staff_not_active'
      WHEN o.staff_id IS NULL THEN 'service_not_offered'
    END
  FROM
    (VALUES(p_staff_id)) AS asked (id)
    LEFT JOIN booking.staff_member m ON m.merchant_id = p_merchant_id AND m.id = asked.id
    LEFT JOIN booking.staff_service o
      ON o.merchant_id = m.merchant_id AND o.staff_id = m.id AND o.service_id = p_service_id;
$$;

CREATE FUNCTION booking.hold_time(
  p_merchant_id uuid,
  p_staff_id uuid,
  p_start timestamptz,
  p_end timestamptz,
  p_except uuid
)
RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM booking.staff_member m WHERE m.merchant_id = p_merchant_id AND m.id = p_staff_id FOR NO KEY UPDATE;
  IF NOT tstzrange(p_start, p_end) <@ booking.working_hours(p_merchant_id, p_staff_id, p_start, p_end) THEN
    RETURN 'outside_working_hours';
  END IF;
  IF
    EXISTS (
      SELECT
      FROM booking.appointment a
      WHERE
        a.merchant_id = p_merchant_id
        AND a.staff_id = p_staff_id
        AND a.takes_time
        AND tstzrange(a.start_time, a.end_time) && tstzrange(p_start, p_end)
        AND a.id IS DISTINCT FROM p_except
    )
  THEN
    RETURN 'taken';
  END IF;
  RETURN NULL;
END;
$$;

CREATE FUNCTION booking.lacks_resources(p_merchant_id uuid, p_service_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM booking.resource_requirement q
      WHERE
        q.merchant_id = p_merchant_id
        AND q.service_id = p_service_id
        AND q.quantity > (
          SELECT count(*) FROM booking.resource r WHERE r.merchant_id = p_merchant_id AND r.kind = q.kind AND r.active
        )
    );
$$;

CREATE FUNCTION booking.assign_resources(p_merchant_id uuid, p_appointment_id uuid, p_resource_ids uuid[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO booking.appointment_resource
    (merchant_id, appointment_id, resource_id, start_time, end_time, takes_time)
  SELECT a.merchant_id, a.id, resource_id, a.start_time, a.end_time, a.takes_time
  FROM
    booking.appointment a
    CROSS JOIN unnest(p_resource_ids) AS resource_id
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
$$;

-- Whether a reminder of the appointment is to be written.
CREATE FUNCTION booking.reminder_is_due(p_appointment booking.appointment, p_ahead interval)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_appointment.status IN ('SCHEDULED', 'CONFIRMED')
    AND p_appointment.payment_due_at IS NULL
    AND p_appointment.start_time > now()
    AND p_appointment.start_time <= now() + p_ahead
    AND NOT EXISTS (
      SELECT
      FROM booking.reminder r
      WHERE
        r.merchant_id = p_appointment.merchant_id
        AND r.appointment_id = p_appointment.id
        AND r.start_time = p_appointment.start_time
    );
$$;

-- answers: rows {merchant_id: uuid}
CREATE FUNCTION booking.merchants_with_reminders(p_ahead interval, p_limit integer)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT DISTINCT a.merchant_id
  FROM booking.appointment a
  WHERE a.start_time > now() AND a.start_time <= now() + p_ahead AND booking.reminder_is_due(a, p_ahead)
  LIMIT p_limit;
$$;

-- answers: integer
CREATE FUNCTION booking.write_reminders(p_merchant_id uuid, p_ahead interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    written AS (
      INSERT INTO booking.reminder (merchant_id, appointment_id, start_time)
      SELECT a.merchant_id, a.id, a.start_time
      FROM booking.appointment a
      WHERE
        a.merchant_id = p_merchant_id
        AND a.start_time > now()
        AND a.start_time <= now() + p_ahead
        AND booking.reminder_is_due(a, p_ahead)
      ORDER BY a.start_time
      LIMIT p_limit
      -- Not of one that is being cancelled or moved at this moment.
      FOR NO KEY UPDATE SKIP LOCKED
      ON CONFLICT DO NOTHING
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM written;
$$;

-- The amount to pay before an appointment of the service is certain, in minor units.
CREATE FUNCTION booking.prepayment(p_service booking.service)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_service.payment_policy
      WHEN 'FULL' THEN p_service.price
      WHEN 'DEPOSIT' THEN least(
        p_service.price,
        coalesce(p_service.deposit_amount, ceil(p_service.price::numeric * p_service.deposit_percent / 100)::bigint)
      )
      ELSE 0
    END;
$$;

-- What an end of the appointment costs now. p_due: NONE, LATE (if the time to cancel without the fee is over) or
-- ALWAYS. One that is still kept for its prepayment costs nothing.
CREATE FUNCTION booking.fee_of(p_appointment booking.appointment, p_due text)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_appointment.payment_due_at IS NULL
      AND (
        p_due = 'ALWAYS'
        OR p_due = 'LATE'
        AND p_appointment.start_time - make_interval(mins => p_appointment.cancellation_minutes) <= now()
      ) THEN p_appointment.no_show_fee
      ELSE 0
    END;
$$;

-- Whether the buyer has so many appointments ahead, not counting those that are cancelled. NULL: FALSE. Of two that one
-- buyer books at once, the later one sees the other.
CREATE FUNCTION booking.has_ahead(p_merchant_id uuid, p_customer_id uuid, p_most integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_most IS NULL THEN
    RETURN FALSE;
  END IF;
  PERFORM identity.lock_buyers(p_merchant_id, ARRAY[p_customer_id], 'appointments');
  RETURN (
    SELECT count(*) >= p_most
    FROM booking.appointment a
    WHERE
      a.merchant_id = p_merchant_id
      AND a.customer_id IN (SELECT identity.same_buyer(p_merchant_id, p_customer_id))
      AND a.start_time > now()
      AND a.takes_time
  );
END;
$$;

-- Why a shopper may not move the appointment.
CREATE FUNCTION booking.move_refusal(p_appointment booking.appointment)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_appointment.start_time <= now() THEN 'already_begun'
      -- Moved away from its fee, it could be cancelled for nothing.
      WHEN booking.fee_of(p_appointment, 'LATE') > 0 THEN 'too_late_to_move'
    END;
$$;

-- Gives back what an appointment's payments hold beyond an amount, from as few of them as possible.
CREATE FUNCTION booking.refund_beyond(p_merchant_id uuid, p_appointment_id uuid, p_kept bigint, p_reason text)
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
  v_left bigint;
  v_part bigint;
  v_ids uuid[] := '{}';
BEGIN
  SELECT a.paid_amount - p_kept
  INTO v_left
  FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
  FOR v_payment IN SELECT *
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.appointment_id = p_appointment_id
    AND p.captured_amount > p.refund_requested_amount
    AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
  ORDER BY p.captured_amount - p.refund_requested_amount DESC, p.id
  FOR UPDATE LOOP
    EXIT WHEN v_left <= 0;
    v_part := least(v_left, v_payment.captured_amount - v_payment.refund_requested_amount);
    v_ids := v_ids || payment.insert_refund(p_merchant_id, v_payment.id, v_part, 0, p_reason);
    v_left := v_left - v_part;
  END LOOP;
  RETURN v_ids;
END;
$$;

-- Money has come for an appointment: with its prepayment it is certain. p_confirm: the state machine's.
CREATE FUNCTION booking.confirm_if_prepaid(p_merchant_id uuid, p_appointment_id uuid, p_confirm jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE booking.appointment a
  SET
    payment_due_at = NULL,
    status = p_confirm ->> 'to'
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND a.payment_due_at IS NOT NULL
    AND a.paid_amount >= a.prepayment
    AND p_confirm -> 'from' ? a.status;
$$;

-- The customer has chosen to pay by other means, which may take longer: until the appointment starts at most.
CREATE FUNCTION booking.await_payment(p_merchant_id uuid, p_appointment_id uuid, p_method text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE booking.appointment a
  SET payment_due_at = least(
    a.start_time,
    greatest(
      a.payment_due_at,
      a.created_at + make_interval(mins => coalesce(ordering.payment_minutes(p_merchant_id, p_method), 527040))
    )
  )
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND a.payment_due_at IS NOT NULL;
$$;

-- It is no longer waited for money from outside: the time to pay is a card's again.
CREATE FUNCTION booking.end_awaiting(p_merchant_id uuid, p_appointment_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE booking.appointment a
  SET payment_due_at = least(
    a.payment_due_at,
    now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'))
  )
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND a.payment_due_at IS NOT NULL;
$$;

CREATE FUNCTION booking.payment_is_under_way(p_merchant_id uuid, p_appointment_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (
        SELECT NOT p.awaited
        FROM payment.open_payment_of_appointment(p_merchant_id, p_appointment_id) p
        WHERE p.id IS NOT NULL
      ),
      FALSE
    );
$$;

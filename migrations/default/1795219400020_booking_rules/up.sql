-- The rules of booking: when somebody works, what is free, and how appointments are made and moved.

-- The moments from one time of a day to another, as clocks in the zone show them. On the day of a change, a time that the
-- clock skips is read by the offset before the change, and one that it shows twice is the second one: so a working day
-- is an hour shorter or longer, and hours that the clock skips altogether are none.
CREATE FUNCTION booking.local_hours(p_day date, p_start text, p_end text, p_time_zone text) RETURNS tstzrange
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN s < e THEN tstzrange(s, e) ELSE 'empty' END
  FROM (SELECT (p_day + p_start::time) AT TIME ZONE p_time_zone AS s, (p_day + p_end::time) AT TIME ZONE p_time_zone AS e) t
$$;

-- When somebody works between two moments: weekly hours, less time off, and extra hours. The first must not be after the second.
CREATE FUNCTION booking.working_hours(p_merchant_id uuid, p_staff_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS tstzmultirange
LANGUAGE sql STABLE
AS $$
  WITH zone AS (
    SELECT coalesce(m.time_zone, s.timezone, 'UTC') AS name
    FROM booking.staff_member m
    LEFT JOIN merchant.settings s ON s.merchant_id = m.merchant_id
    WHERE m.merchant_id = p_merchant_id AND m.id = p_staff_id
  ),
  days AS (
    SELECT first + n AS day, name AS zone
    FROM zone,
      -- From the day before: where midnight is shown twice, its 24:00 is the second one.
      LATERAL (SELECT (p_from AT TIME ZONE name)::date - 1 AS first, (p_to AT TIME ZONE name)::date AS last) d,
      generate_series(0, last - first) n
  ),
  stated AS (
    SELECT s.type, booking.local_hours(d.day, s.start_time, s.end_time, d.zone) AS hours
    FROM days d
    JOIN booking.schedule s
      ON s.merchant_id = p_merchant_id AND s.staff_id = p_staff_id
      AND d.day >= coalesce(s.start_date, '-infinity')
      AND d.day <= coalesce(s.end_date, CASE s.type WHEN 'WEEKLY' THEN 'infinity' ELSE s.start_date END)
      AND coalesce(s.weekday = to_char(d.day, 'FMDAY'), true)
  )
  SELECT (
    coalesce(range_agg(hours) FILTER (WHERE type = 'WEEKLY'), '{}')
    - coalesce(range_agg(hours) FILTER (WHERE type = 'TIME_OFF'), '{}')
    + coalesce(range_agg(hours) FILTER (WHERE type = 'EXTRA_HOURS'), '{}')
  ) * tstzmultirange(tstzrange(p_from, p_to))
  FROM stated
$$;

-- The part of it that no appointment takes.
CREATE FUNCTION booking.free_time(p_merchant_id uuid, p_staff_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS tstzmultirange
LANGUAGE sql STABLE
AS $$
  SELECT booking.working_hours(p_merchant_id, p_staff_id, p_from, p_to) - coalesce(range_agg(tstzrange(a.start_time, a.end_time)), '{}')
  FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.staff_id = p_staff_id AND a.status NOT IN ('CANCELLED', 'NO_SHOW')
    AND tstzrange(a.start_time, a.end_time) && tstzrange(p_from, p_to)
$$;

-- Where a service fits that starts in [p_from, p_to), on every quarter of an hour. p_staff_id NULL: anybody who offers it.
CREATE FUNCTION booking.slots(p_merchant_id uuid, p_service_id uuid, p_staff_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS SETOF booking.available_slot
LANGUAGE sql STABLE
AS $$
  SELECT p_merchant_id, s.id, m.id, start, start + length
  FROM booking.service s
  CROSS JOIN LATERAL (SELECT make_interval(mins => s.duration) AS length) l
  JOIN booking.staff_service o ON o.merchant_id = s.merchant_id AND o.service_id = s.id
  JOIN booking.staff_member m ON m.merchant_id = o.merchant_id AND m.id = o.staff_id AND m.active
  CROSS JOIN LATERAL unnest(booking.free_time(p_merchant_id, m.id, p_from, p_to + length)) AS free (during)
  CROSS JOIN LATERAL generate_series(
    -- The first quarter that isn't before the free time.
    date_bin('15 minutes', lower(during) + interval '14 minutes 59.999999 seconds', 'epoch'),
    upper(during) - length,
    '15 minutes'
  ) AS start
  WHERE s.merchant_id = p_merchant_id AND s.id = p_service_id AND s.active AND (p_staff_id IS NULL OR m.id = p_staff_id)
    AND start < p_to
$$;

-- How far ahead appointments can be made.
CREATE FUNCTION booking.horizon() RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT now() + interval '366 days'
$$;

-- What Hasura shows of slots: those of the session's merchant that can still be booked, of 31 days at most.
CREATE FUNCTION booking.availability(
  hasura_session json,
  "serviceId" uuid,
  "from" timestamptz,
  "to" timestamptz,
  "staffId" uuid DEFAULT NULL
) RETURNS SETOF booking.available_slot
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  -- A slot at this very moment would be in the past before anybody could book it.
  v_from timestamptz := greatest("from", now() + interval '1 minute');
  v_to timestamptz := least("to", booking.horizon(), v_from + interval '31 days');
BEGIN
  IF v_from < v_to THEN
    RETURN QUERY SELECT * FROM booking.slots(
      (hasura_session ->> 'x-hasura-merchant-id')::uuid, "serviceId", "staffId", v_from, v_to
    );
  END IF;
END
$$;

-- What is wrong with a start, whoever it is with: NULL when nothing is.
CREATE FUNCTION booking.start_refusal(p_start timestamptz) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN p_start <= now() THEN 'in_the_past'
    WHEN p_start >= booking.horizon() THEN 'too_far_ahead'
    WHEN p_start <> date_trunc('minute', p_start) THEN 'not_a_whole_minute'
  END
$$;

-- What is wrong with somebody for a service: NULL when nothing is.
CREATE FUNCTION booking.staff_refusal(p_merchant_id uuid, p_staff_id uuid, p_service_id uuid) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN m.id IS NULL THEN 'unknown_staff'
    WHEN NOT m.active THEN 'staff_not_active'
    WHEN o.staff_id IS NULL THEN 'service_not_offered'
  END
  FROM (VALUES (p_staff_id)) AS asked (id)
  LEFT JOIN booking.staff_member m ON m.merchant_id = p_merchant_id AND m.id = asked.id
  LEFT JOIN booking.staff_service o ON o.merchant_id = m.merchant_id AND o.staff_id = m.id AND o.service_id = p_service_id
$$;

-- Takes hold of somebody's calendar, so that of two bookings the second sees the first, and tells whether the time is free
-- in it: NULL, or 'outside_working_hours' or 'taken'. p_except: the appointment that is to be moved.
CREATE FUNCTION booking.hold_time(
  p_merchant_id uuid,
  p_staff_id uuid,
  p_start timestamptz,
  p_end timestamptz,
  p_except uuid
) RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM booking.staff_member m WHERE m.merchant_id = p_merchant_id AND m.id = p_staff_id FOR NO KEY UPDATE;
  IF NOT tstzrange(p_start, p_end) <@ booking.working_hours(p_merchant_id, p_staff_id, p_start, p_end) THEN
    RETURN 'outside_working_hours';
  END IF;
  IF EXISTS (
    SELECT FROM booking.appointment a
    WHERE a.merchant_id = p_merchant_id AND a.staff_id = p_staff_id AND a.status NOT IN ('CANCELLED', 'NO_SHOW')
      AND tstzrange(a.start_time, a.end_time) && tstzrange(p_start, p_end) AND a.id IS DISTINCT FROM p_except
  ) THEN
    RETURN 'taken';
  END IF;
  RETURN NULL;
END
$$;

-- Makes an appointment. p_staff_id NULL: with anybody who is free.
-- {outcome: 'changed', appointmentId} | {outcome: 'invalid', refusals: [{field, reason}]}
CREATE FUNCTION booking.book(
  p_merchant_id uuid,
  p_service_id uuid,
  p_staff_id uuid,
  p_customer_id uuid,
  p_start timestamptz,
  p_notes text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_service booking.service;
  v_refusals jsonb;
  v_end timestamptz;
  v_staff_id uuid;
  v_reason text;
  v_reasons text[] := '{}';
  v_appointment_id uuid := platform.uuid_v7();
BEGIN
  SELECT * INTO v_service FROM booking.service s WHERE s.merchant_id = p_merchant_id AND s.id = p_service_id;
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', field, 'reason', reason)), '[]') INTO v_refusals
  FROM (VALUES
    ('serviceId', CASE WHEN v_service.id IS NULL THEN 'unknown_service' WHEN NOT v_service.active THEN 'service_not_active' END),
    (
      'staffId',
      CASE WHEN p_staff_id IS NOT NULL THEN nullif(
        booking.staff_refusal(p_merchant_id, p_staff_id, p_service_id),
        -- Of an unknown service there is nothing more to say.
        CASE WHEN v_service.id IS NULL THEN 'service_not_offered' END
      ) END
    ),
    (
      'customerId',
      CASE WHEN NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id)
      THEN 'unknown_customer' END
    ),
    ('startTime', booking.start_refusal(p_start))
  ) AS r (field, reason)
  WHERE reason IS NOT NULL;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_end := p_start + make_interval(mins => v_service.duration);
  -- In one order for everybody, so that no two bookings wait for each other's calendars.
  FOR v_staff_id IN
    SELECT m.id
    FROM booking.staff_service o
    JOIN booking.staff_member m ON m.merchant_id = o.merchant_id AND m.id = o.staff_id AND m.active
    WHERE o.merchant_id = p_merchant_id AND o.service_id = p_service_id AND (p_staff_id IS NULL OR o.staff_id = p_staff_id)
    ORDER BY m.priority, m.id
  LOOP
    v_reason := booking.hold_time(p_merchant_id, v_staff_id, p_start, v_end, NULL);
    IF v_reason IS NULL THEN
      INSERT INTO booking.appointment
        (merchant_id, id, service_id, staff_id, customer_id, start_time, end_time, notes, booked_here)
      VALUES (p_merchant_id, v_appointment_id, p_service_id, v_staff_id, p_customer_id, p_start, v_end, p_notes, true);
      RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', v_appointment_id);
    END IF;
    v_reasons := v_reasons || v_reason;
  END LOOP;
  RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
    CASE
      WHEN v_reasons = '{}' THEN jsonb_build_object('field', 'serviceId', 'reason', 'nobody_offers_it')
      WHEN 'taken' = ANY (v_reasons) THEN jsonb_build_object('field', 'startTime', 'reason', 'taken')
      ELSE jsonb_build_object('field', 'startTime', 'reason', 'outside_working_hours')
    END
  ));
END
$$;

-- Moves an appointment to another time, and to somebody else when p_staff_id isn't NULL. It keeps its length.
-- p_owner_id: only this customer's appointments exist, and not those that have begun.
-- What book answers, or {outcome: 'unknown'} or {outcome: 'not_allowed', status}.
CREATE FUNCTION booking.reschedule(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_owner_id uuid,
  p_start timestamptz,
  p_staff_id uuid,
  p_from text[],
  p_to text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_refusals jsonb;
  v_end timestamptz;
  v_staff_id uuid;
  v_reason text;
BEGIN
  SELECT * INTO v_appointment FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND (p_owner_id IS NULL OR a.customer_id = p_owner_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_appointment.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_appointment.status);
  END IF;
  v_staff_id := coalesce(p_staff_id, v_appointment.staff_id);
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', field, 'reason', reason)), '[]') INTO v_refusals
  FROM (VALUES
    ('id', CASE WHEN p_owner_id IS NOT NULL AND v_appointment.start_time <= now() THEN 'already_begun' END),
    ('startTime', booking.start_refusal(p_start)),
    ('staffId', booking.staff_refusal(p_merchant_id, v_staff_id, v_appointment.service_id))
  ) AS r (field, reason)
  WHERE reason IS NOT NULL;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_end := p_start + make_interval(mins => v_appointment.duration);
  v_reason := booking.hold_time(p_merchant_id, v_staff_id, p_start, v_end, p_appointment_id);
  IF v_reason IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
      jsonb_build_object('field', 'startTime', 'reason', v_reason)
    ));
  END IF;
  UPDATE booking.appointment a
  SET start_time = p_start, end_time = v_end, staff_id = v_staff_id, status = p_to
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
  RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', p_appointment_id);
END
$$;

-- Moves an appointment from one of the states p_from to p_to. p_when says what else must hold: 'any' nothing, 'begun' that its
-- time has come, 'ahead' that it has not.
-- {outcome: 'changed', appointmentId} | {outcome: 'unknown'} | {outcome: 'not_allowed', status}
--   | {outcome: 'invalid', refusals: [{field: 'id', reason: 'not_begun' | 'already_begun'}]}
CREATE FUNCTION booking.change_status(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_owner_id uuid,
  p_from text[],
  p_to text,
  p_when text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_reason text;
BEGIN
  SELECT * INTO v_appointment FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND (p_owner_id IS NULL OR a.customer_id = p_owner_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_appointment.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_appointment.status);
  END IF;
  v_reason := CASE
    WHEN p_when = 'begun' AND v_appointment.start_time > now() THEN 'not_begun'
    WHEN p_when = 'ahead' AND v_appointment.start_time <= now() THEN 'already_begun'
  END;
  IF v_reason IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
      jsonb_build_object('field', 'id', 'reason', v_reason)
    ));
  END IF;
  UPDATE booking.appointment a SET status = p_to WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
  RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', p_appointment_id);
END
$$;

-- Writes the reminders that are due: of appointments within p_ahead from now that have none for their time. Returns how many;
-- fewer than p_limit means that it is done. Run twice at once, the key lets one of the two write each.
CREATE FUNCTION booking.write_reminders(p_ahead interval, p_limit integer) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH written AS (
    INSERT INTO booking.reminder (merchant_id, appointment_id, start_time)
    SELECT a.merchant_id, a.id, a.start_time
    FROM booking.appointment a
    WHERE a.status IN ('SCHEDULED', 'CONFIRMED') AND a.start_time > now() AND a.start_time <= now() + p_ahead
      AND NOT EXISTS (
        SELECT FROM booking.reminder r
        WHERE r.merchant_id = a.merchant_id AND r.appointment_id = a.id AND r.start_time = a.start_time
      )
    ORDER BY a.start_time
    LIMIT p_limit
    -- Not of one that is being cancelled or moved at this moment.
    FOR NO KEY UPDATE SKIP LOCKED
    ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT count(*)::integer FROM written
$$;

CREATE FUNCTION booking.working_hours(p_merchant_id uuid, p_staff_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS tstzmultirange
LANGUAGE sql
STABLE
AS $$
  WITH
    zone AS (
      SELECT coalesce(m.time_zone, s.timezone, 'UTC') AS name
      FROM
        booking.staff_member m
        LEFT JOIN merchant.settings s ON s.merchant_id = m.merchant_id
      WHERE m.merchant_id = p_merchant_id AND m.id = p_staff_id
    ),
    days AS (
      SELECT first + n AS day, name AS zone
      FROM
        zone,
        -- From the day before: where midnight is shown twice, its 24:00 is the second one.
        LATERAL (SELECT (p_from AT TIME ZONE name)::date - 1 AS first, (p_to AT TIME ZONE name)::date AS last) d,
        generate_series(0, last - first) n
    ),
    stated AS (
      SELECT s.type, booking.local_hours(d.day, s.start_time, s.end_time, d.zone) AS hours
      FROM
        days d
        JOIN booking.schedule s
          ON s.merchant_id = p_merchant_id
          AND s.staff_id = p_staff_id
          AND d.day >= coalesce(s.start_date, '-infinity')
          AND d.day <= coalesce(
            s.end_date,
            CASE s.type
              WHEN 'WEEKLY' THEN 'infinity'
              ELSE s.start_date
            END
          )
          AND coalesce(s.weekday = to_char(d.day, 'FMDAY'), TRUE)
    )
  SELECT
    (
      coalesce(range_agg(hours) FILTER (WHERE type = 'WEEKLY'), '{}') - coalesce(
        range_agg(hours) FILTER (WHERE type = 'TIME_OFF'),
        '{}'
      ) + coalesce(range_agg(hours) FILTER (WHERE type = 'EXTRA_HOURS'), '{}')
    ) * tstzmultirange(tstzrange(p_from, p_to))
  FROM stated;
$$;

-- The starts at which too few resources of a kind are free for the whole of the service.
CREATE FUNCTION booking.starts_without_resources(
  p_merchant_id uuid,
  p_service_id uuid,
  p_from timestamptz,
  p_to timestamptz
)
RETURNS tstzmultirange
LANGUAGE sql
STABLE
AS $$
  WITH
    required AS (
      SELECT q.kind, q.quantity, make_interval(mins => s.duration) AS length
      FROM
        booking.service s
        JOIN booking.resource_requirement q ON q.merchant_id = s.merchant_id AND q.service_id = s.id
      WHERE s.merchant_id = p_merchant_id AND s.id = p_service_id
    ),
    -- A resource can't serve what starts before an appointment's end and ends after its start.
    blocked AS (
      SELECT
        q.kind,
        unnest(range_agg(tstzrange(a.start_time - q.length + INTERVAL '1 microsecond', a.end_time))) AS starts
      FROM
        required q
        JOIN booking.resource r ON r.merchant_id = p_merchant_id AND r.kind = q.kind AND r.active
        JOIN booking.appointment_resource a
          ON a.merchant_id = r.merchant_id
          AND a.resource_id = r.id
          AND a.takes_time
          -- A service takes a day at most.
          AND tstzrange(a.start_time, a.end_time) && tstzrange(p_from, p_to + INTERVAL '1 day')
      GROUP BY q.kind, r.id
    ),
    changes AS (
      SELECT b.kind, c.at, sum(c.change) AS change
      FROM
        blocked b
        CROSS JOIN LATERAL (
          VALUES
            (lower(b.starts), 1),
            (upper(b.starts), -1)
        ) AS c (at, change)
      GROUP BY b.kind, c.at
    ),
    counted AS (
      SELECT
        c.kind,
        tstzrange(
          c.at,
          lead(c.at) OVER (
            PARTITION BY c.kind
            ORDER BY c.at
          )
        ) AS starts,
        sum(c.change) OVER (
          PARTITION BY c.kind
          ORDER BY c.at
        ) AS blocked
      FROM changes c
    )
  SELECT coalesce(range_agg(c.starts), '{}')
  FROM
    counted c
    JOIN required q ON q.kind = c.kind
  WHERE
    q.quantity > (
      SELECT count(*) FROM booking.resource r WHERE r.merchant_id = p_merchant_id AND r.kind = q.kind AND r.active
    ) - c.blocked;
$$;

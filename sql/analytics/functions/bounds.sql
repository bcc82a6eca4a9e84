CREATE FUNCTION analytics.bounds(p_first date, p_last date, p_interval text, p_time_zone text)
RETURNS TABLE (at timestamptz, before_at timestamptz)
LANGUAGE sql
STABLE
AS $$
  WITH
    step AS (
      SELECT
        CASE p_interval
          WHEN 'WEEK' THEN INTERVAL '7 days'
          WHEN 'MONTH' THEN INTERVAL '1 month'
          WHEN 'QUARTER' THEN INTERVAL '3 months'
          WHEN 'YEAR' THEN INTERVAL '1 year'
          ELSE INTERVAL '1 day'
        END AS length
    ),
    day AS (
      SELECT p_first AS day
      UNION
      SELECT d::date
      FROM
        step,
        generate_series(
          date_trunc(
            CASE
              WHEN p_interval = 'HOUR' THEN 'day'
              ELSE p_interval
            END,
            p_first::timestamp
          ),
          p_last::timestamp,
          length
        ) d
      WHERE d::date > p_first AND p_interval IS NOT NULL
      UNION
      SELECT p_last + 1
    ),
    shift AS (
      SELECT
        CASE
          WHEN coalesce(p_interval, 'DAY') IN ('HOUR', 'DAY') THEN make_interval(days => p_last - p_first + 1)
          ELSE length * (SELECT count(*) - 1 FROM day)
        END AS back
      FROM step
    ),
    bound AS (
      SELECT
        analytics.day_start(d.day, p_time_zone) AS at,
        analytics.day_start((d.day - s.back)::date, p_time_zone) AS before_at
      FROM
        day d,
        shift s
      UNION ALL
      SELECT h, greatest(b.before_start, (h AT TIME ZONE p_time_zone - s.back) AT TIME ZONE p_time_zone)
      FROM
        day d,
        shift s,
        LATERAL (
          SELECT
            analytics.day_start(d.day, p_time_zone) AS start,
            analytics.day_start(d.day + 1, p_time_zone) AS finish,
            analytics.day_start((d.day - s.back)::date, p_time_zone) AS before_start
        ) b,
        generate_series(b.start + INTERVAL '1 hour', b.finish - INTERVAL '1 microsecond', '1 hour') h
      WHERE p_interval = 'HOUR' AND d.day <= p_last
    )
  SELECT b.at, max(b.before_at)
  FROM bound b
  GROUP BY b.at
  ORDER BY b.at;
$$;

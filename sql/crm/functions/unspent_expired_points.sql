CREATE FUNCTION crm.unspent_expired_points(
  p_merchant_id uuid,
  p_customer_id uuid,
  OUT expired bigint,
  OUT next_expiry timestamptz
)
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_entry record;
  v_lot integer;
  v_due bigint;
  v_taken bigint;
  -- Of each time that points came: how many are left, and when they expire.
  v_left bigint[] := '{}';
  v_expiry timestamptz[] := '{}';
BEGIN
  FOR v_entry IN SELECT e.points, coalesce(e.expires_at, 'infinity') AS expires_at
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = p_merchant_id AND e.customer_id = p_customer_id
  ORDER BY e.created_at, e.id LOOP
    IF v_entry.points > 0 THEN
      v_left := v_left || v_entry.points::bigint;
      v_expiry := v_expiry || v_entry.expires_at;
      CONTINUE;
    END IF;
    v_due := -v_entry.points;
    FOR v_lot IN SELECT l.n
    FROM unnest(v_expiry) WITH ORDINALITY AS l (expiry, n)
    WHERE v_left[l.n] > 0
    ORDER BY l.expiry, l.n LOOP
      EXIT WHEN v_due = 0;
      v_taken := least(v_left[v_lot], v_due);
      v_left[v_lot] := v_left[v_lot] - v_taken;
      v_due := v_due - v_taken;
    END LOOP;
  END LOOP;
  SELECT
    coalesce(sum(l.points) FILTER (WHERE l.expiry <= now()), 0),
    min(l.expiry) FILTER (WHERE l.expiry > now() AND l.expiry < 'infinity' AND l.points > 0)
  INTO expired, next_expiry
  FROM unnest(v_left, v_expiry) AS l (points, expiry);
END;
$$;

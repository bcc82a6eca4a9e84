-- Chooses the resources that the service needs, in the order of their priority, and locks them until the transaction
-- ends. An appointment that is moved (p_except) keeps those of its resources that are free. NULL: too few are free.
CREATE FUNCTION booking.hold_resources(
  p_merchant_id uuid,
  p_service_id uuid,
  p_start timestamptz,
  p_end timestamptz,
  p_except uuid
)
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_kinds citext[];
  v_quantities integer[];
  v_locked_ids uuid[];
  v_chosen_ids uuid[];
BEGIN
  -- Read once: the merchant may change them at this moment.
  SELECT array_agg(q.kind), array_agg(q.quantity)
  INTO v_kinds, v_quantities
  FROM booking.resource_requirement q
  WHERE q.merchant_id = p_merchant_id AND q.service_id = p_service_id;
  IF v_kinds IS NULL THEN
    RETURN '{}';
  END IF;
  -- In one order for every booking, after the staff members, so that no two bookings wait for each other.
  SELECT coalesce(array_agg(locked.id), '{}')
  INTO v_locked_ids
  FROM
    (
      SELECT r.id
      FROM booking.resource r
      WHERE r.merchant_id = p_merchant_id AND r.kind = ANY (v_kinds) AND r.active
      ORDER BY r.id
      FOR NO KEY UPDATE
    ) AS locked;
  -- A statement of its own: it sees what the bookings that held the locks have written.
  SELECT coalesce(array_agg(chosen.id), '{}')
  INTO v_chosen_ids
  FROM
    unnest(v_kinds, v_quantities) AS q (kind, quantity)
    CROSS JOIN LATERAL (
      SELECT r.id
      FROM
        booking.resource r
        LEFT JOIN booking.appointment_resource kept
          ON kept.merchant_id = r.merchant_id AND kept.appointment_id = p_except AND kept.resource_id = r.id
      WHERE
        r.merchant_id = p_merchant_id
        AND r.id = ANY (v_locked_ids)
        AND r.kind = q.kind
        AND NOT EXISTS (
          SELECT
          FROM booking.appointment_resource a
          WHERE
            a.merchant_id = r.merchant_id
            AND a.resource_id = r.id
            AND a.takes_time
            AND tstzrange(a.start_time, a.end_time) && tstzrange(p_start, p_end)
            AND a.appointment_id IS DISTINCT FROM p_except
        )
      ORDER BY kept.resource_id IS NULL, r.priority, r.id
      LIMIT q.quantity
    ) AS chosen;
  RETURN CASE
    WHEN cardinality(v_chosen_ids) = (SELECT sum(quantity) FROM unnest(v_quantities) AS quantity) THEN v_chosen_ids
  END;
END;
$$;

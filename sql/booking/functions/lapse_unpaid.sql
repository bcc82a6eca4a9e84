-- Cancels appointments whose prepayment hasn't come in time, so that their times are free, and gives back what was paid
-- of it. Those with a payment that a processor has begun wait for its end.
--
-- answers: integer
CREATE FUNCTION booking.lapse_unpaid(p_merchant_id uuid, p_limit integer, p_from text[], p_to text)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment_ids uuid[];
  v_appointment booking.appointment;
  v_count integer := 0;
BEGIN
  v_appointment_ids := ARRAY(
    SELECT a.id
    FROM booking.appointment a
    WHERE
      a.merchant_id = p_merchant_id
      AND a.payment_due_at <= now()
      AND a.status = ANY (p_from)
      AND NOT booking.payment_is_under_way(a.merchant_id, a.id)
    ORDER BY a.payment_due_at
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED
  );
  -- Looked at once more now that they are locked: a payment may have begun or been settled meanwhile.
  FOR v_appointment IN UPDATE booking.appointment a
  SET
    status = p_to,
    payment_due_at = NULL,
    lapsed = TRUE
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = ANY (v_appointment_ids)
    AND a.payment_due_at <= now()
    AND a.status = ANY (p_from)
    AND NOT booking.payment_is_under_way(a.merchant_id, a.id)
  RETURNING a.* LOOP
    UPDATE payment.payment p
    SET status = 'CANCELLED'
    WHERE p.merchant_id = p_merchant_id AND p.appointment_id = v_appointment.id AND p.awaited AND p.status = 'PENDING';
    PERFORM booking.refund_beyond(p_merchant_id, v_appointment.id, 0, 'The appointment was not paid in time');
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END;
$$;

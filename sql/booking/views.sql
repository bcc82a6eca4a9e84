CREATE VIEW booking.available_slot AS
  SELECT
    NULL::uuid AS merchant_id,
    NULL::uuid AS service_id,
    NULL::uuid AS staff_id,
    NULL::timestamptz AS start_time,
    NULL::timestamptz AS end_time
  WHERE FALSE;

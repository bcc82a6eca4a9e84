-- The services of Alder & Pine's workshop, its staff and schedules, and some appointments. A few rows of Kestrel's as well.

INSERT INTO booking.service (merchant_id, id, name, description, duration, price, currency, active) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000001', 'Boot fitting', 'Measured, tried on and walked in, with insoles if you need them.', 45, 0, 'USD', true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000002', 'Pack fitting', 'Torso length, hip belt and load lifters, with your weight in it.', 30, 0, 'USD', true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000003', 'Tent and shell repair', 'Seams, zips and patches, while you wait.', 60, 4500, 'USD', true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000004', 'Ski tuning', 'Edges, base and wax. Out of season.', 90, 6500, 'USD', false),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0017-7000-8000-000000000901', 'Cupping', 'Six coffees, blind.', 60, 1500, 'EUR', true)
ON CONFLICT DO NOTHING;

-- Noa Lindgren advises by video from Denver, an hour ahead of the shop.
INSERT INTO booking.staff_member (merchant_id, id, name, email, phone, time_zone, priority) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0018-7000-8000-000000000001', 'Ruth Calder', 'ruth@alderandpine.example', '+1 541 555 0151', NULL, 0),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0018-7000-8000-000000000002', 'Dev Sandhu', 'dev@alderandpine.example', '+1 541 555 0152', NULL, 1),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0018-7000-8000-000000000003', 'Noa Lindgren', 'noa@alderandpine.example', NULL, 'America/Denver', 2),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0018-7000-8000-000000000901', 'Frauke Behrens', 'frauke@kestrelcoffee.example', NULL, NULL, 0)
ON CONFLICT DO NOTHING;

INSERT INTO booking.staff_service (merchant_id, staff_id, service_id)
SELECT
  '01a1f000-0001-7000-8000-000000000001'::uuid,
  ('01a1f000-0018-7000-8000-' || lpad(o.staff::text, 12, '0'))::uuid,
  ('01a1f000-0017-7000-8000-' || lpad(o.service::text, 12, '0'))::uuid
FROM (VALUES (1, 1), (1, 2), (2, 2), (2, 3), (2, 4), (3, 2)) AS o (staff, service)
UNION ALL
SELECT '01a1f000-0001-7000-8000-000000000002', '01a1f000-0018-7000-8000-000000000901', '01a1f000-0017-7000-8000-000000000901'
ON CONFLICT DO NOTHING;

-- Two rooms to try boots on in, and one bench for repairs.
INSERT INTO booking.resource (merchant_id, id, name, kind, priority) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-001b-7000-8000-000000000001', 'Front fitting room', 'fitting room', 0),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-001b-7000-8000-000000000002', 'Back fitting room', 'fitting room', 1),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-001b-7000-8000-000000000003', 'Repair bench', 'bench', 0),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-001b-7000-8000-000000000901', 'Tasting room', 'room', 0)
ON CONFLICT DO NOTHING;

INSERT INTO booking.resource_requirement (merchant_id, service_id, kind) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000001', 'fitting room'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000003', 'bench'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000004', 'bench'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0017-7000-8000-000000000901', 'room')
ON CONFLICT DO NOTHING;

-- Ruth from Tuesday to Saturday with a break, Dev on weekdays, Noa on two evenings, Frauke on Fridays.
INSERT INTO booking.schedule (merchant_id, id, staff_id, type, weekday, start_time, end_time)
SELECT
  CASE WHEN h.staff < 900 THEN '01a1f000-0001-7000-8000-000000000001' ELSE '01a1f000-0001-7000-8000-000000000002' END::uuid,
  ('01a1f000-0019-7000-8000-' || lpad((h.staff * 100 + row_number() OVER (PARTITION BY h.staff ORDER BY d.position, h.start_time))::text, 12, '0'))::uuid,
  ('01a1f000-0018-7000-8000-' || lpad(h.staff::text, 12, '0'))::uuid,
  'WEEKLY', d.weekday, h.start_time, h.end_time
FROM (VALUES
  (1, '{TUESDAY,WEDNESDAY,THURSDAY,FRIDAY,SATURDAY}', '10:00', '13:00'),
  (1, '{TUESDAY,WEDNESDAY,THURSDAY,FRIDAY,SATURDAY}', '14:00', '18:00'),
  (2, '{MONDAY,TUESDAY,WEDNESDAY,THURSDAY,FRIDAY}', '09:00', '17:00'),
  (3, '{MONDAY,THURSDAY}', '16:00', '20:00'),
  (901, '{FRIDAY}', '15:00', '19:00')
) AS h (staff, weekdays, start_time, end_time), unnest(h.weekdays::text[]) WITH ORDINALITY AS d (weekday, position)
ON CONFLICT DO NOTHING;

-- The shop counts its stock on the Friday in three weeks, and Dev works on a Saturday before it.
INSERT INTO booking.schedule (merchant_id, id, staff_id, type, start_date)
SELECT
  '01a1f000-0001-7000-8000-000000000001', ('01a1f000-0019-7000-8000-' || lpad((n * 100 + 90)::text, 12, '0'))::uuid,
  ('01a1f000-0018-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'TIME_OFF',
  (date_trunc('week', now() AT TIME ZONE 'America/Los_Angeles') + interval '25 days')::date
FROM generate_series(1, 3) n
ON CONFLICT DO NOTHING;
INSERT INTO booking.schedule (merchant_id, id, staff_id, type, start_date, start_time, end_time)
SELECT
  '01a1f000-0001-7000-8000-000000000001', '01a1f000-0019-7000-8000-000000000291', '01a1f000-0018-7000-8000-000000000002',
  'EXTRA_HOURS', (date_trunc('week', now() AT TIME ZONE 'America/Los_Angeles') + interval '12 days')::date, '10:00', '14:00'
ON CONFLICT DO NOTHING;

-- Weeks before and after the present one, on Ruth's Wednesday and Dev's Thursday, by the shop's clock.
INSERT INTO booking.appointment (merchant_id, id, service_id, staff_id, customer_id, start_time, end_time, status, notes)
SELECT
  s.merchant_id, ('01a1f000-001a-7000-8000-' || lpad(a.number::text, 12, '0'))::uuid, s.id,
  ('01a1f000-0018-7000-8000-' || lpad(a.staff::text, 12, '0'))::uuid,
  ('01a1f000-0009-7000-8000-' || lpad(a.customer::text, 12, '0'))::uuid,
  t.start, t.start + make_interval(mins => s.duration), a.status, a.notes
FROM (VALUES
  (1, 1, 1, 1, -3, 2, '10:00', 'COMPLETED', 'Wide last'),
  (2, 1, 1, 4, -2, 2, '10:45', 'NO_SHOW', NULL),
  (3, 3, 2, 2, -2, 3, '09:00', 'COMPLETED', 'Zip of the inner tent'),
  (4, 2, 1, 5, 1, 2, '11:00', 'CANCELLED', NULL),
  (5, 1, 1, 6, 1, 2, '11:00', 'CONFIRMED', NULL),
  (6, 3, 2, 1, 1, 3, '10:00', 'SCHEDULED', 'Two tents'),
  (7, 2, 2, 8, 2, 3, '13:30', 'SCHEDULED', NULL)
) AS a (number, service, staff, customer, week, day, time, status, notes)
JOIN booking.service s
  ON s.merchant_id = '01a1f000-0001-7000-8000-000000000001'
  AND s.id = ('01a1f000-0017-7000-8000-' || lpad(a.service::text, 12, '0'))::uuid
-- A deleted customer has no appointments.
JOIN crm.customer c
  ON c.merchant_id = s.merchant_id AND c.id = ('01a1f000-0009-7000-8000-' || lpad(a.customer::text, 12, '0'))::uuid,
  LATERAL (
    SELECT (
      date_trunc('week', now() AT TIME ZONE 'America/Los_Angeles') + make_interval(weeks => a.week, days => a.day) + a.time::interval
    ) AT TIME ZONE 'America/Los_Angeles' AS start
  ) t
ON CONFLICT DO NOTHING;

INSERT INTO booking.appointment_resource (merchant_id, appointment_id, resource_id, start_time, end_time, takes_time)
SELECT a.merchant_id, a.id, r.id, a.start_time, a.end_time, a.takes_time
FROM booking.appointment a
JOIN booking.resource_requirement q ON q.merchant_id = a.merchant_id AND q.service_id = a.service_id
JOIN booking.resource r ON r.merchant_id = q.merchant_id AND r.kind = q.kind AND r.priority = 0
WHERE a.id::text LIKE '01a1f000-001a-%'
ON CONFLICT DO NOTHING;

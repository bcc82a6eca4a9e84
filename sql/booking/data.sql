INSERT INTO merchant.permission (name, description)
VALUES
  ('booking:read', 'See services, staff, schedules and appointments'),
  ('booking:write', 'Change services, staff and schedules, book and change appointments');

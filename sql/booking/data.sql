INSERT INTO merchant.permission (name, description)
VALUES
  ('booking:read', 'See services, staff, schedules, resources and appointments'),
  ('booking:write', 'Change services, staff, schedules and resources, book and change appointments');

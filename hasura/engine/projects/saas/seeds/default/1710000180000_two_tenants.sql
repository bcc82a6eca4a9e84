INSERT INTO tenant (id, name, plan) VALUES (1, 'Acme', 'TEAM'), (2, 'Zenith', 'FREE');
INSERT INTO account (id, tenant_id, email, full_name) VALUES
  (11, 1, 'olga@acme.example', 'Olga Owner'),
  (12, 1, 'ed@acme.example', 'Ed Editor'),
  (13, 1, 'vi@acme.example', 'Vi Viewer'),
  (21, 2, 'zoe@zenith.example', 'Zoe Zenith');
INSERT INTO project (id, tenant_id, name) VALUES (1, 1, 'Website'), (2, 1, 'Move'), (3, 2, 'Secret');
INSERT INTO task (id, project_id, title, status, assignee_id, created_by, estimate_hours, due_on) VALUES
  (101, 1, 'Draft', 'DONE', 12, 11, 2.50, current_date - 10),
  (102, 1, 'Review', 'DOING', 12, 11, 4, current_date - 1),
  (103, 1, 'Publish', 'TODO', NULL, 11, 1.25, current_date + 3),
  (104, 2, 'Pack', 'TODO', 13, 11, 8, NULL),
  (301, 3, 'Hush', 'TODO', 21, 21, 1, current_date);
SELECT setval(pg_get_serial_sequence('task', 'id'), 1000);

DROP TRIGGER task_audit ON task;
DROP SCHEMA audit CASCADE;

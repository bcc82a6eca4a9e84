DROP FUNCTION project_tasks_due(project, int);
DROP FUNCTION project_progress(project);
DROP FUNCTION task_is_overdue(task);
DROP TABLE task, task_status, project;

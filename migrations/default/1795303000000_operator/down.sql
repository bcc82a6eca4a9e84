DROP INDEX audit.entry_operator;
DROP SCHEMA operator CASCADE;

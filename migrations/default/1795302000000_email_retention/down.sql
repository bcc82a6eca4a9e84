DROP FUNCTION email.purge_rendered(interval, integer);
DROP INDEX email.delivery_rendered;

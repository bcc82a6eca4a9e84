DROP VIEW crm.customer_total;
DROP SCHEMA payment CASCADE;

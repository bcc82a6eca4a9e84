DROP INDEX ordering.order_status;
DROP INDEX crm.customer_updated_at;

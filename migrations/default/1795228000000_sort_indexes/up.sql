-- Every field that a list can be sorted by has an index that leads with the merchant and ends with the id, so that page 1,000 is read
-- from its cursor on as page 1 is. These two were missing. (E-mail addresses and order numbers are unique, which serves as well.)

CREATE INDEX customer_updated_at ON crm.customer (merchant_id, updated_at, id);
CREATE INDEX order_status ON ordering.order (merchant_id, status, id);

DROP FUNCTION crm.anonymize_customer(uuid, uuid);
DROP TRIGGER anonymized ON crm.customer;
ALTER TABLE crm.customer DROP COLUMN anonymized_at;
DROP TABLE crm.interaction;
DROP TABLE crm.contact;

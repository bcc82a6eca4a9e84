CREATE TYPE platform.keyed_request AS (
  merchant_id uuid,
  caller text,
  key text,
  part text,
  operation text,
  fingerprints text[]
);

CREATE TYPE platform.actor AS (
  -- MERCHANT: a key or user of the merchant. CUSTOMER: a shopper. SYSTEM: a job or a payment processor.
  kind text,
  -- The user's, key's or customer's.
  id uuid
);

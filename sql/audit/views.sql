CREATE VIEW audit.log AS
  SELECT
    e.merchant_id,
    e.id,
    e.created_at,
    e.actor_kind,
    e.actor_id,
    CASE e.actor_kind
      WHEN 'KEY' THEN (
        SELECT k.name FROM merchant.api_key k WHERE k.reaches_merchant_id = e.merchant_id AND k.id = e.actor_id
      )
      WHEN 'USER' THEN (SELECT u.name FROM identity.user u WHERE u.merchant_id = e.merchant_id AND u.id = e.actor_id)
      -- Merchants don't see the names of an operator's keys.
      WHEN 'OPERATOR' THEN NULL
      WHEN 'CUSTOMER' THEN (SELECT c.name FROM crm.customer c WHERE c.merchant_id = e.merchant_id AND c.id = e.actor_id)
    END AS actor_name,
    e.client_address,
    e.request_id,
    e.source,
    e.operation_name,
    e.operation,
    e.record,
    e.change,
    e.target_ids,
    e.outcome,
    e.codes,
    e.occurrences
  FROM audit.entry e
  -- Once it is known how an action has ended, that it was begun says nothing more.
  WHERE
    e.outcome <> 'STARTED'
    OR NOT EXISTS (SELECT FROM audit.entry f WHERE f.merchant_id = e.merchant_id AND f.attempt_id = e.id);

-- The contract's name of a column: `order_number` is `orderNumber`.
CREATE FUNCTION events.field_name(p_column text)
RETURNS text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT left(p_column, 1) || substr(replace(initcap(replace(p_column, '_', ' ')), ' ', ''), 2);
$$;

-- Deletes events and what belongs to them, the oldest first.
--
-- answers: integer
CREATE FUNCTION events.purge(p_merchant_id uuid, p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.event e
      WHERE
        (e.merchant_id, e.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.event x
          WHERE x.merchant_id = p_merchant_id AND x.created_at < now() - p_older_than
          ORDER BY x.created_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

-- Deletes deliveries that have ended, the oldest first.
--
-- answers: integer
CREATE FUNCTION events.purge_deliveries(p_merchant_id uuid, p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.delivery d
      WHERE
        (d.merchant_id, d.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.delivery x
          WHERE
            x.merchant_id = p_merchant_id
            AND x.status IN ('DELIVERED', 'FAILED')
            AND x.created_at < now() - p_older_than
          ORDER BY x.created_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

-- Whether an event is about one of the customers, about a record that names one, or about a record that has the e-mail
-- address of a person alone, such as a stock alert.
CREATE FUNCTION events.is_about(p_event events.event, p_customer_ids uuid[], p_email citext)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    p_event.record_id = ANY (p_customer_ids)
    OR p_event.record ->> 'customerId' = ANY (p_customer_ids::text[])
    OR (p_event.record ->> 'email')::citext = p_email;
$$;

-- Forgets what was recorded of customers, who are one person, and of records that name them or their e-mail address,
-- before they were anonymised; only that they were remains. The merchant's events are all read, so that is done before
-- the sequencer has to wait: for all merchants. While it waits, nothing of the person is on its way into the events.
CREATE FUNCTION events.forget_person(p_merchant_id uuid, p_customer_ids uuid[], p_email citext)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_last text := coalesce((SELECT max(e.position) FROM events.event e WHERE e.merchant_id = p_merchant_id), '');
BEGIN
  DELETE FROM events.event e
  WHERE e.merchant_id = p_merchant_id AND events.is_about(e, p_customer_ids, p_email);
  PERFORM pg_advisory_xact_lock(hashtextextended('events.sequence', 0));
  DELETE FROM events.event e
  WHERE e.merchant_id = p_merchant_id AND e.position > v_last AND events.is_about(e, p_customer_ids, p_email);
  DELETE FROM events.change c
  WHERE
    c.merchant_id = p_merchant_id
    AND (
      coalesce(c.after, c.before) ->> 'id' = ANY (p_customer_ids::text[])
      OR coalesce(c.after, c.before) ->> 'customer_id' = ANY (p_customer_ids::text[])
      OR (coalesce(c.after, c.before) ->> 'email')::citext = p_email
    );
  INSERT INTO events.change (merchant_id, source, before, after)
  SELECT
    c.merchant_id,
    'customer',
    jsonb_build_object('id', c.id, 'status', c.status),
    jsonb_build_object('id', c.id, 'status', c.status, 'anonymized_at', c.anonymized_at)
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = ANY (p_customer_ids);
END;
$$;

-- Deletes records of deletions that are older than this. Returns how many.
-- answers: integer
CREATE FUNCTION events.purge_deletions(p_merchant_id uuid, p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.deletion d
      WHERE
        (d.merchant_id, d.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.deletion x
          WHERE x.merchant_id = p_merchant_id AND x.deleted_at < now() - p_older_than
          ORDER BY x.deleted_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION events.watch_deletions(p_table regclass, p_type text, p_permission text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  EXECUTE
    format(
      'CREATE TRIGGER record_deletions AFTER DELETE ON %s REFERENCING OLD TABLE AS gone FOR EACH STATEMENT ' 
 'EXECUTE FUNCTION events.record_deletions(%L, %L)',
      p_table,
      p_type,
      p_permission
    );
END;
$$;

-- Whether an endpoint with these topics hears of the topic.
CREATE FUNCTION events.hears(p_topics text[], p_topic text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT p_topics && ARRAY[p_topic, split_part(p_topic, '.', 1) || '.*', '*'];
$$;

-- A lock for the number of a merchant's endpoints, and whether there may be one more.
--
-- answers: boolean
CREATE FUNCTION events.may_add_endpoint(p_merchant_id uuid, p_most integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM merchant.merchant m WHERE m.id = p_merchant_id FOR NO KEY UPDATE;
  RETURN (SELECT count(*) < p_most FROM events.endpoint e WHERE e.merchant_id = p_merchant_id);
END;
$$;

-- Keeps what was rendered, with the version of the permissions that it was rendered with; a delivery that couldn't be
-- waits, and is rendered later.
--
-- answers: void
-- nullable: p_body
CREATE FUNCTION events.keep_rendering(
  p_merchant_id uuid,
  p_id uuid,
  p_body text,
  p_permissions_version integer,
  p_delay interval
)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE events.delivery d
  SET
    body = p_body,
    permissions_version = p_permissions_version,
    claimed_until = NULL,
    next_attempt_at = now() + p_delay
  WHERE d.merchant_id = p_merchant_id AND d.id = p_id AND d.body IS NULL AND d.status = 'PENDING';
$$;

-- Renews the claims of deliveries that are under way; those of which another attempt has begun are left alone.
--
-- answers: void
CREATE FUNCTION events.keep_deliveries(p_ids uuid[], p_attempts integer[], p_lease interval)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE events.delivery d
  SET claimed_until = now() + p_lease
  FROM unnest(p_ids, p_attempts) AS c (id, attempt)
  WHERE d.id = c.id AND d.attempts = c.attempt AND d.status = 'SENDING';
$$;

-- A UUID of version 7 (RFC 9562) with the time in microseconds, so that rows that are made one after the other have
-- ids in their order. Postgres has one of its own from 18 on.
CREATE FUNCTION platform.uuid_v7()
RETURNS uuid
LANGUAGE sql
VOLATILE
PARALLEL SAFE
AS $$
  -- One expression, which Postgres puts in place of the call: 48 bits of milliseconds and 12 of the rest of the time,
  -- with the version between them.
  SELECT
    (
      overlay(lpad(to_hex((EXTRACT(EPOCH FROM clock_timestamp()) * 4096000)::bigint), 15, '0'), '7', 13, 0) || right(
        gen_random_uuid()::text,
        17
      )
    )::uuid;
$$;

CREATE FUNCTION platform.most_money()
RETURNS numeric
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT 9007199254740991::numeric;
$$;

CREATE FUNCTION platform.as_money(p_sum numeric)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT least(p_sum, platform.most_money())::bigint;
$$;

CREATE FUNCTION platform.violate(p_table text, p_constraint text, p_because text DEFAULT NULL, p_detail text DEFAULT '')
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_schema text := split_part(p_table, '.', 1);
  v_table text := split_part(p_table, '.', 2);
BEGIN
  RAISE EXCEPTION
    USING
      ERRCODE = 'check_violation',
      CONSTRAINT = p_constraint,
      SCHEMA = v_schema,
      TABLE = v_table,
      DETAIL = p_detail,
      MESSAGE = coalesce(
        p_because || format(': constraint "%s"', p_constraint) || CASE p_detail
          WHEN '' THEN ''
          ELSE ' ' || p_detail
        END,
        format('new row for relation "%s" violates check constraint "%s"', v_table, p_constraint)
      );
END;
$$;

-- Whether the transaction writes history that is imported. Such rows move no stock, send no message, give no points and
-- cause no event; what would be recorded at their time comes with them.
--
-- In PL/pgSQL, because conditions of triggers call it: SQL would be parsed anew for each statement, to be put in its
-- place.
CREATE FUNCTION platform.importing()
RETURNS boolean
LANGUAGE plpgsql
STABLE
AS $$
BEGIN
  RETURN coalesce(current_setting('platform.importing', TRUE) = 'on', FALSE);
END;
$$;

CREATE FUNCTION platform.slugify(name text)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT btrim(left(btrim(regexp_replace(lower(public.unaccent(name)), '[^a-z0-9]+', '-', 'g'), '-'), 80), '-');
$$;

-- The slug of a row that has none: its name's, or with a part of its id when another row has that, or gets it in a
-- transaction that has not ended. Each table's trigger looks for p_taken, because a statement that names its table is
-- planned once.
CREATE FUNCTION platform.free_slug(p_table text, p_merchant_id uuid, p_id uuid, p_base text, p_taken boolean)
RETURNS text
LANGUAGE sql
AS $$
  SELECT
    CASE
      WHEN p_base = ''
      OR p_taken
      OR NOT pg_try_advisory_xact_lock(hashtextextended(p_table || p_merchant_id || p_base, 0)) THEN ltrim(
        p_base || '-' || right(p_id::text, 12),
        '-'
      )
      ELSE p_base
    END;
$$;

-- answers: new {} | conflict {forgotten: boolean} | repeated {response: jsonb, sealed: text | null}
CREATE FUNCTION platform.recall(p_request platform.keyed_request)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_record platform.idempotency_record;
BEGIN
  PERFORM
    pg_advisory_xact_lock(
      hashtextextended(concat_ws(E'\n', p_request.merchant_id, p_request.caller, p_request.key, p_request.part), 0)
    );
  SELECT *
  INTO v_record
  FROM platform.idempotency_record r
  WHERE
    r.merchant_id = p_request.merchant_id
    AND r.caller = p_request.caller
    AND r.key = p_request.key
    AND r.part = p_request.part
    AND r.expires_at > now();
  RETURN CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'new')
    WHEN v_record.operation <> p_request.operation
    OR v_record.fingerprint <> ALL (p_request.fingerprints) THEN jsonb_build_object(
      'outcome',
      'conflict',
      'forgotten',
      FALSE
    )
    WHEN v_record.sealed_until <= now() THEN jsonb_build_object('outcome', 'conflict', 'forgotten', TRUE)
    ELSE jsonb_build_object('outcome', 'repeated', 'response', v_record.response, 'sealed', v_record.sealed)
  END;
END;
$$;

-- The commit of this transaction doesn't wait for the disk, so its locks end with its work. Its caller waits
-- instead, with a later commit that does, before it tells the client: the log is in order (docs/decisions/0220).
CREATE FUNCTION platform.flush_later()
RETURNS void
LANGUAGE plpgsql
VOLATILE
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', TRUE);
END;
$$;

-- Recalls the requests of a list, each with `key` (as platform.keyed_request) if it has an Idempotency-Key. Of two with
-- the same key, the second is for later. The locks are taken in one order by all.
CREATE FUNCTION platform.recall_all(p_requests jsonb)
RETURNS jsonb[]
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    array_agg(
      CASE
        WHEN r.repetition > 1 THEN jsonb_build_object('outcome', 'later')
        WHEN r.key IS NULL THEN jsonb_build_object('outcome', 'new')
        ELSE r.recalled
      END
      ORDER BY r.position
    )
  FROM
    (
      SELECT
        r.*,
        CASE
          WHEN r.key IS NOT NULL THEN platform.recall(r.key)
        END AS recalled
      FROM
        (
          SELECT
            r.ordinality AS position,
            k.key,
            CASE
              WHEN k.key IS NOT NULL THEN row_number() OVER (
                PARTITION BY r.value -> 'key' ->> 'caller', r.value -> 'key' ->> 'key', r.value -> 'key' ->> 'part'
                ORDER BY r.ordinality
              )
            END AS repetition
          FROM
            jsonb_array_elements(p_requests) WITH ORDINALITY AS r
            CROSS JOIN LATERAL (
              SELECT
                CASE
                  WHEN r.value ->> 'key' IS NOT NULL THEN jsonb_populate_record(
                    NULL::platform.keyed_request,
                    r.value -> 'key'
                  )
                END AS key
            ) k
          ORDER BY r.value -> 'key' ->> 'caller', r.value -> 'key' ->> 'key', r.value -> 'key' ->> 'part'
          OFFSET 0
        ) r
    ) r;
$$;

-- Writes records of Idempotency-Keys. Throws unique_violation if a key has another one that is still kept.
CREATE FUNCTION platform.write_idempotency_records(p_records platform.idempotency_record[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_written bigint;
BEGIN
  WITH
    written AS (
      INSERT INTO platform.idempotency_record AS r (
        merchant_id,
        caller,
        key,
        part,
        operation,
        fingerprint,
        response,
        sealed,
        sealed_until,
        record_ids
      )
      SELECT
        n.merchant_id,
        n.caller,
        n.key,
        n.part,
        n.operation,
        n.fingerprint,
        n.response,
        n.sealed,
        n.sealed_until,
        n.record_ids
      FROM unnest(p_records) n
      ON CONFLICT (merchant_id, caller, key, part) DO UPDATE
        SET
          operation = excluded.operation,
          fingerprint = excluded.fingerprint,
          response = excluded.response,
          sealed = excluded.sealed,
          sealed_until = excluded.sealed_until,
          record_ids = excluded.record_ids,
          transaction_id = excluded.transaction_id,
          created_at = excluded.created_at,
          expires_at = excluded.expires_at
        -- An expired record that the job hasn't purged yet is none.
        WHERE r.expires_at <= now() OR r.transaction_id = excluded.transaction_id
      RETURNING r.key
    )
  SELECT count(*)
  INTO v_written
  FROM written;
  IF v_written < cardinality(p_records) THEN
    RAISE EXCEPTION
      USING
        ERRCODE = 'unique_violation',
        SCHEMA = 'platform',
        TABLE = 'idempotency_record',
        CONSTRAINT = 'idempotency_record_pkey',
        MESSAGE = 'duplicate key value violates unique constraint "idempotency_record_pkey"';
  END IF;
END;
$$;

-- answers: void
-- nullable: p_response, p_sealed
CREATE FUNCTION platform.remember(
  p_request platform.keyed_request,
  p_response jsonb,
  p_sealed text,
  p_seconds integer,
  p_record_ids uuid[]
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_record platform.idempotency_record;
BEGIN
  v_record.merchant_id := p_request.merchant_id;
  v_record.caller := p_request.caller;
  v_record.key := p_request.key;
  v_record.part := p_request.part;
  v_record.operation := p_request.operation;
  v_record.fingerprint := p_request.fingerprints[1];
  v_record.response := p_response;
  v_record.sealed := p_sealed;
  IF p_sealed IS NOT NULL THEN
    v_record.sealed_until := now() + make_interval(secs => p_seconds);
  END IF;
  v_record.record_ids := p_record_ids;
  PERFORM platform.write_idempotency_records(ARRAY[v_record]);
END;
$$;

-- At most 100 records: those whose ids the response to a request of a list has, and those that the request names
-- (`recordIds`).
CREATE FUNCTION platform.record_ids_of(p_request jsonb, p_response jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    jsonb_path_query_array(
      (SELECT coalesce(jsonb_agg(m.value), '[]') FROM jsonb_each(p_response) m WHERE m.key ~ '(^id|Id)$') || (
        p_request -> 'recordIds'
      ),
      '$[0 to 99]'
    );
$$;

-- Remembers the responses to requests of a list (NULL: none, or not now) whose outcome is one of those that change
-- something: with platform.record_ids_of.
CREATE FUNCTION platform.remember_all(p_requests jsonb, p_responses jsonb[], p_changing text[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_records platform.idempotency_record[] := ARRAY(
    SELECT n
    FROM
      jsonb_array_elements(p_requests) WITH ORDINALITY AS r
      CROSS JOIN LATERAL (SELECT p_responses[r.ordinality] AS response) a
      CROSS JOIN LATERAL jsonb_populate_record(
        NULL::platform.idempotency_record,
        r.value -> 'key' || jsonb_build_object(
          'fingerprint',
          r.value -> 'key' -> 'fingerprints' -> 0,
          'response',
          a.response,
          'record_ids',
          platform.record_ids_of(r.value, a.response)
        )
      ) n
    WHERE r.value ->> 'key' IS NOT NULL AND a.response ->> 'outcome' = ANY (p_changing)
  );
BEGIN
  PERFORM platform.write_idempotency_records(v_records);
END;
$$;

CREATE FUNCTION platform.keep_keys(p_table regclass, p_id text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_event text;
BEGIN
  FOREACH v_event IN ARRAY '{INSERT,UPDATE,DELETE}'::text[] LOOP
    EXECUTE
      format(
        'CREATE TRIGGER keep_key_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT
       WHEN (pg_trigger_depth() = 0 AND current_setting(''hasura.user'', true) LIKE ''%%x-hasura-idempotency-key%%'')
       EXECUTE FUNCTION platform.keep_key(%L)',
        lower(v_event),
        v_event,
        p_table,
        CASE v_event
          WHEN 'DELETE' THEN 'OLD'
          ELSE 'NEW'
        END,
        p_id
      );
  END LOOP;
END;
$$;

-- answers: integer
CREATE FUNCTION platform.purge_idempotency_records(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM platform.idempotency_record r
      WHERE
        (r.merchant_id, r.caller, r.key, r.part) IN (
          SELECT x.merchant_id, x.caller, x.key, x.part
          FROM platform.idempotency_record x
          WHERE x.merchant_id = p_merchant_id AND x.expires_at <= now()
          ORDER BY x.expires_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    ),
    forgotten AS (
      UPDATE platform.idempotency_record r
      SET sealed = NULL
      WHERE
        (r.merchant_id, r.caller, r.key, r.part) IN (
          SELECT x.merchant_id, x.caller, x.key, x.part
          FROM platform.idempotency_record x
          WHERE
            x.merchant_id = p_merchant_id
            AND x.sealed IS NOT NULL
            AND x.sealed_until <= now()
            AND x.expires_at > now()
          ORDER BY x.sealed_until
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT greatest((SELECT count(*) FROM gone), (SELECT count(*) FROM forgotten))::integer;
$$;

CREATE FUNCTION platform.allocate(p_amount numeric, p_weights bigint[])
RETURNS bigint[]
LANGUAGE sql
IMMUTABLE
AS $$
  WITH
    part AS (
      SELECT w.position, div(p_amount * w.weight, t.total) AS whole, mod(p_amount * w.weight, t.total) AS remainder
      FROM
        unnest(p_weights) WITH ORDINALITY AS w (weight, position)
        CROSS JOIN (SELECT nullif(sum(x), 0) AS total FROM unnest(p_weights) x) t
    ),
    ranked AS (
      SELECT
        p.position,
        p.whole,
        row_number() OVER (ORDER BY p.remainder DESC, p.position) AS rank,
        sum(p.whole) OVER () AS given
      FROM part p
    )
  SELECT
    coalesce(
      array_agg(
        (
          coalesce(r.whole, 0) + CASE
            WHEN r.rank <= p_amount - r.given THEN 1
            ELSE 0
          END
        )::bigint
        ORDER BY r.position
      ),
      '{}'
    )
  FROM ranked r;
$$;

-- Whether there is a time zone of this name in IANA's database, in any case. Postgres takes more for one:
-- abbreviations, such as MSK, and rules, such as FOO3, which Node and other clients don't know. IANA gives no new names
-- without an area.
CREATE FUNCTION platform.is_time_zone(p_name text)
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE
AS $$
BEGIN
  PERFORM timezone(p_name, 'epoch'::timestamptz);
  RETURN p_name ~* '^(?!posix/|right/)[a-z_]+(/[a-z_-]+){1,2}$'
  OR p_name ~* '^etc/gmt[+-]?[0-9]{1,2}$'
  OR lower(p_name) = ANY (
    regexp_split_to_array(
      'cet cst6cdt cuba eet egypt eire est est5edt gb gb-eire gmt gmt+0 gmt-0 gmt0 greenwich hongkong hst iceland iran
       israel jamaica japan kwajalein libya met mst mst7mdt navajo nz nz-chat poland portugal prc pst8pdt roc rok
       singapore turkey uct universal utc w-su wet zulu',
      '\s+'
    )
  );
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN FALSE;
END;
$$;

CREATE FUNCTION platform.acting_as(p_session jsonb)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
AS $$
BEGIN
  PERFORM set_config('hasura.user', p_session::text, TRUE);
  RETURN TRUE;
END;
$$;

-- For whom the transaction acts: the session's variables; NULL: for the platform itself.
CREATE FUNCTION platform.current_session()
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  -- After a transaction that set it, a custom setting is '' and not NULL.
  SELECT nullif(current_setting('hasura.user', TRUE), '')::jsonb;
$$;

CREATE FUNCTION platform.actor_of(p_session jsonb)
RETURNS platform.actor
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    ROW(
      CASE p_session ->> 'x-hasura-role'
        WHEN 'merchant' THEN 'MERCHANT'
        WHEN 'customer' THEN 'CUSTOMER'
        ELSE 'SYSTEM'
      END,
      CASE p_session ->> 'x-hasura-role'
        WHEN 'merchant' THEN coalesce(p_session ->> 'x-hasura-user-id', p_session ->> 'x-hasura-key-id')
        WHEN 'customer' THEN p_session ->> 'x-hasura-customer-id'
      END::uuid
    )::platform.actor;
$$;

CREATE FUNCTION platform.current_actor()
RETURNS platform.actor
LANGUAGE sql
STABLE
AS $$
  SELECT platform.actor_of(platform.current_session());
$$;

CREATE FUNCTION platform.is_barcode(p_digits text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    char_length(p_digits) IN (12, 13)
    AND (
      SELECT
        sum(
          substr(reverse(p_digits), i, 1)::integer * CASE i % 2
            WHEN 1 THEN 1
            ELSE 3
          END
        ) % 10 = 0
      FROM generate_series(1, char_length(p_digits)) i
    );
$$;

-- answers: text
CREATE FUNCTION platform.place()
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce((SELECT p.name FROM platform.own_place p), 'main');
$$;

CREATE FUNCTION platform.touch_parent_of(p_part regclass, p_parent regclass, p_column text, p_events text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  -- Not for parts that go with another row: a deleted category has as many links as products. An import writes the
  -- parent itself.
  EXECUTE
    format(
      'CREATE TRIGGER touch_parent AFTER %s ON %s FOR EACH ROW ' 
 'WHEN (pg_trigger_depth() = 0 AND NOT platform.importing()) ' 
 'EXECUTE FUNCTION platform.touch_parent(%L, %L)',
      p_events,
      p_part,
      p_parent,
      p_column
    );
END;
$$;

-- The schemas of the domains. The rules of `npm run verify` are the owner's.
CREATE FUNCTION platform.own_schemas()
RETURNS TABLE (name text)
LANGUAGE sql
STABLE
AS $$
  SELECT n.nspname::text
  FROM pg_namespace n
  WHERE
    n.nspname IN (
      'analytics',
      'audit',
      'booking',
      'bulk',
      'cart',
      'catalog',
      'crm',
      'email',
      'events',
      'files',
      'identity',
      'inventory',
      'merchant',
      'metadata',
      'notification',
      'operator',
      'ordering',
      'payment',
      'platform',
      'promotion',
      'search'
    );
$$;

-- Whether a table or a column has come that the roles have no rights to yet: of a migration, of Hasura or of the
-- queues.
CREATE FUNCTION platform.lacks_rights()
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE
        c.relkind IN ('r', 'p', 'v')
        AND (
          (
            n.nspname IN (SELECT s.name FROM platform.own_schemas() s)
            AND NOT has_any_column_privilege('commerce_reader', c.oid, 'SELECT')
          )
          OR (n.nspname = 'hdb_catalog' AND NOT has_table_privilege('commerce_engine', c.oid, 'SELECT'))
          OR (n.nspname = 'bullmq' AND NOT has_table_privilege('commerce_worker', c.oid, 'SELECT'))
        )
        -- The months of the audit log are read through their table.
        AND NOT c.relispartition
    )
    -- A new column of a table whose rights are granted by column.
    OR EXISTS (
      SELECT
      FROM
        (SELECT DISTINCT c.relation FROM platform.credential_columns() c) t
        JOIN pg_attribute a ON a.attrelid = t.relation AND a.attnum > 0 AND NOT a.attisdropped
      WHERE
        NOT has_column_privilege('commerce_reader', a.attrelid, a.attnum, 'SELECT')
        AND NOT EXISTS (
          SELECT
          FROM platform.credential_columns() c
          WHERE
            c.relation = t.relation
            AND c.column_name = a.attname
            AND 'commerce_reader' <> ALL (c.keepers || c.readers)
        )
    );
$$;

-- What the authenticator reads and writes: of each table what a credential's check needs, and when it was used last.
CREATE FUNCTION platform.auth_rights()
RETURNS TABLE (role text, relation regclass, rights text)
LANGUAGE sql
STABLE
AS $$
  SELECT 'commerce_auth', t.relation, t.rights
  FROM
    (
      VALUES
        ('merchant.merchant'::regclass, 'SELECT'),
        ('merchant.settings', 'SELECT'),
        ('merchant.subscription', 'SELECT'),
        ('merchant.plan_feature', 'SELECT'),
        ('merchant.permission', 'SELECT'),
        ('merchant.ip_allow_list_entry', 'SELECT'),
        ('merchant.api_key', 'SELECT, UPDATE (last_used_at)'),
        ('merchant.api_key_hash', 'SELECT'),
        ('operator.key', 'SELECT, UPDATE (last_used_at)'),
        ('events.endpoint', 'SELECT (merchant_id, id)'),
        ('crm.customer', 'SELECT (merchant_id, id, email, email_verified, has_account, anonymized_at, blocked_at)'),
        ('identity.credential', 'SELECT (merchant_id, customer_id)'),
        ('identity.user', 'SELECT'),
        ('identity.role', 'SELECT'),
        ('identity.built_in_role', 'SELECT'),
        ('identity.user_role', 'SELECT'),
        ('identity.user_access', 'SELECT'),
        ('identity.session', 'SELECT, UPDATE (last_used_at)'),
        ('identity.signing_key', 'SELECT (id, algorithm, public_jwk, created_at, retired_at)'),
        ('audit.entry', 'SELECT, INSERT'),
        ('audit.log', 'SELECT'),
        ('files.file', 'SELECT'),
        ('files.own_url', 'SELECT'),
        ('platform.own_place', 'SELECT'),
        ('platform.job_run', 'SELECT'),
        ('platform.process', 'SELECT, INSERT, UPDATE, DELETE'),
        ('platform.applied_migration', 'SELECT'),
        ('platform.applied_metadata', 'SELECT'),
        (
          'platform.idempotency_record',
          'SELECT (merchant_id, caller, key, part, operation, fingerprint, record_ids, created_at, expires_at)'
        )
    ) AS t (relation, rights);
$$;

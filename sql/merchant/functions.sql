CREATE FUNCTION merchant.plan_rank(p_plan text)
RETURNS integer
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT array_position('{FREE,STARTER,PRO,ENTERPRISE}', p_plan);
$$;

-- Whether the merchant's rows are another merchant's test data.
--
-- answers: boolean
CREATE FUNCTION merchant.is_twin(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.twin_of IS NOT NULL);
$$;

-- Changes nothing if the merchant has no twin.
CREATE FUNCTION merchant.copy_plan_to_twin(p_merchant_id uuid)
RETURNS void
LANGUAGE sql
AS $$
  UPDATE merchant.subscription t
  SET
    plan = s.plan,
    status = s.status,
    current_period_start = s.current_period_start,
    current_period_end = s.current_period_end,
    periods_since = s.periods_since
  FROM
    merchant.subscription s
    JOIN merchant.merchant m ON m.twin_of = s.merchant_id
  WHERE s.merchant_id = p_merchant_id AND t.merchant_id = m.id;
$$;

-- The subscription of a merchant of its own; a twin's follows it.
CREATE FUNCTION merchant.lock_subscription(p_merchant_id uuid)
RETURNS merchant.subscription
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription;
BEGIN
  SELECT *
  INTO v_subscription
  FROM merchant.subscription s
  WHERE s.merchant_id = p_merchant_id AND NOT merchant.is_twin(s.merchant_id)
  FOR UPDATE;
  RETURN v_subscription;
END;
$$;

-- answers: changed {} | not_allowed {status: merchant.subscription.status} | twin {}
CREATE FUNCTION merchant.request_plan(p_merchant_id uuid, p_plan text, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'twin');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s
  SET
    -- A plan that the next period begins with anyway needs no request.
    requested_plan = CASE
      WHEN p_plan <> ALL (ARRAY[s.plan, coalesce(s.next_plan, s.plan)]) THEN p_plan
    END,
    -- Asked for twice, it was asked for the first time.
    requested_at = CASE
      WHEN p_plan = ANY (ARRAY[s.plan, coalesce(s.next_plan, s.plan)]) THEN NULL
      WHEN p_plan = s.requested_plan THEN s.requested_at
      ELSE now()
    END,
    next_plan = CASE
      WHEN p_plan <> s.plan THEN s.next_plan
    END,
    cancel_at_period_end = FALSE
  WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.give_plan(
  p_subscription merchant.subscription,
  p_plan text,
  p_at_once boolean,
  p_from text[],
  p_to text
)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE merchant.subscription s
  SET
    plan = CASE
      WHEN n.now THEN p_plan
      ELSE s.plan
    END,
    next_plan = CASE
      WHEN NOT n.now THEN p_plan
    END,
    status = CASE
      WHEN n.now
      AND s.status = ANY (p_from) THEN p_to
      ELSE s.status
    END,
    requested_plan = NULL,
    requested_at = NULL,
    cancel_at_period_end = FALSE,
    -- A period that is over already begins anew; one under way goes on.
    current_period_start = CASE
      WHEN n.now
      AND s.current_period_end <= now() THEN now()
      ELSE s.current_period_start
    END,
    current_period_end = CASE
      WHEN n.now
      AND s.current_period_end <= now() THEN now() + INTERVAL '1 month'
      ELSE s.current_period_end
    END,
    periods_since = CASE
      WHEN n.now
      AND s.current_period_end <= now() THEN now()
      ELSE s.periods_since
    END
  FROM (SELECT p_at_once OR merchant.plan_rank(p_plan) > merchant.plan_rank(p_subscription.plan) AS now) n
  WHERE s.merchant_id = p_subscription.merchant_id;
$$;

-- answers:
--   changed {}
--   | not_allowed {status: merchant.subscription.status}
--   | unknown {}
--   | not_requested {requested: merchant.subscription.plan | null}
CREATE FUNCTION merchant.answer_plan_request(
  p_merchant_id uuid,
  p_plan text,
  p_confirm boolean,
  p_from text[],
  p_to text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_subscription.requested_plan IS DISTINCT FROM p_plan THEN
    RETURN jsonb_build_object('outcome', 'not_requested', 'requested', v_subscription.requested_plan);
  END IF;
  IF NOT p_confirm THEN
    UPDATE merchant.subscription s
    SET
      requested_plan = NULL,
      requested_at = NULL
    WHERE s.merchant_id = p_merchant_id;
    RETURN jsonb_build_object('outcome', 'changed');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  PERFORM merchant.give_plan(v_subscription, p_plan, FALSE, p_from, p_to);
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- answers: changed {} | unknown {}
CREATE FUNCTION merchant.set_plan(p_merchant_id uuid, p_plan text, p_from text[], p_to text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  PERFORM merchant.give_plan(v_subscription, p_plan, TRUE, p_from, p_to);
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- answers: changed {} | not_allowed {status: merchant.subscription.status} | twin {}
CREATE FUNCTION merchant.set_cancellation(p_merchant_id uuid, p_cancel boolean, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'twin');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s
  SET
    cancel_at_period_end = p_cancel,
    next_plan = CASE
      WHEN NOT p_cancel THEN s.next_plan
    END,
    requested_plan = CASE
      WHEN NOT p_cancel THEN s.requested_plan
    END,
    requested_at = CASE
      WHEN NOT p_cancel THEN s.requested_at
    END
  WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- answers: changed {} | not_allowed {status: merchant.subscription.status} | unknown {}
CREATE FUNCTION merchant.set_billing_status(p_merchant_id uuid, p_from text[], p_to text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s SET status = p_to WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- answers: integer
CREATE FUNCTION merchant.begin_periods(p_limit integer, p_from text[], p_renewed text, p_ended text)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    due AS (
      SELECT s.merchant_id, s.periods_since, m.months
      FROM
        merchant.subscription s
        -- The first whole number of months that leads past now; a bound keeps a wrong clock from counting for ever.
        -- From the first period's start, because the day of a short month's end is not that of the periods.
        CROSS JOIN LATERAL (
          SELECT min(n) AS months
          FROM generate_series(1, 1200) n
          WHERE s.periods_since + make_interval(months => n) > now()
        ) m
      WHERE s.current_period_end <= now() AND s.status = ANY (p_from) AND NOT merchant.is_twin(s.merchant_id)
      ORDER BY s.current_period_end
      LIMIT p_limit
      FOR UPDATE OF s SKIP LOCKED
    ),
    begun AS (
      UPDATE merchant.subscription s
      SET
        plan = CASE
          WHEN s.cancel_at_period_end THEN 'FREE'
          ELSE coalesce(s.next_plan, s.plan)
        END,
        status = CASE
          WHEN s.cancel_at_period_end THEN p_ended
          ELSE p_renewed
        END,
        next_plan = NULL,
        cancel_at_period_end = FALSE,
        current_period_start = due.periods_since + make_interval(months => due.months - 1),
        current_period_end = due.periods_since + make_interval(months => due.months)
      FROM due
      WHERE s.merchant_id = due.merchant_id
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM begun;
$$;

CREATE FUNCTION merchant.require_feature(p_merchant_id uuid, p_feature text)
RETURNS void
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_subscription merchant.subscription;
  v_needed text;
BEGIN
  SELECT * INTO v_subscription FROM merchant.subscription s WHERE s.merchant_id = p_merchant_id;
  IF
    v_subscription.status <> 'UNPAID'
    AND EXISTS (SELECT FROM merchant.plan_feature f WHERE f.plan = v_subscription.plan AND f.feature = p_feature)
  THEN
    RETURN;
  END IF;
  SELECT f.plan
  INTO v_needed
  FROM merchant.plan_feature f
  WHERE f.feature = p_feature
  ORDER BY merchant.plan_rank(f.plan)
  LIMIT 1;
  PERFORM
    platform.violate(
      'merchant.subscription',
      'plan_feature',
      CASE v_subscription.status
        WHEN 'UNPAID' THEN format('the subscription is UNPAID: it includes no %s until it is paid', p_feature)
        ELSE format(
          'the plan %s does not include %s, which needs the plan %s',
          v_subscription.plan,
          p_feature,
          coalesce(v_needed, 'NONE')
        )
      END,
      jsonb_build_object(
        'feature',
        p_feature,
        'plan',
        v_subscription.plan,
        'requiredPlan',
        v_needed,
        'status',
        v_subscription.status
      )::text
    );
END;
$$;

-- answers: changed {} | unknown {} | not_allowed {status: merchant.merchant.status}
-- nullable: p_reason
CREATE FUNCTION merchant.change_status(p_merchant_id uuid, p_from text[], p_to text, p_reason text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text := (
    SELECT m.status FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.twin_of IS NULL FOR NO KEY UPDATE
  );
BEGIN
  IF v_status IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  -- Part of the rows of a merchant whose deletion is due may be gone.
  IF v_status <> ALL (p_from) OR merchant.deletion_is_due(p_merchant_id) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  UPDATE merchant.merchant m
  SET
    status = p_to,
    status_since = now(),
    status_reason = p_reason,
    deletes_at = NULL
  WHERE m.id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- Shuts a merchant out and has its rows deleted after the delay, in days. Refused unless the merchant got its data
-- within the last 30 days.
--
-- answers: changed {} | unknown {} | not_exported {} | not_allowed {status: merchant.merchant.status}
-- nullable: p_reason
CREATE FUNCTION merchant.close_merchant(p_merchant_id uuid, p_from text[], p_reason text, p_delay integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant merchant.merchant;
BEGIN
  SELECT *
  INTO v_merchant
  FROM merchant.merchant m
  WHERE m.id = p_merchant_id AND m.twin_of IS NULL
  FOR NO KEY UPDATE;
  IF v_merchant.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_merchant.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_merchant.status);
  END IF;
  IF coalesce(v_merchant.data_exported_at, '-infinity') < now() - INTERVAL '30 days' THEN
    RETURN jsonb_build_object('outcome', 'not_exported');
  END IF;
  UPDATE merchant.merchant m
  SET
    status = 'CLOSED',
    status_since = now(),
    status_reason = p_reason,
    deletes_at = now() + make_interval(days => p_delay)
  WHERE m.id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- answers: boolean
CREATE FUNCTION merchant.confirm_export(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
VOLATILE
AS $$
  WITH
    confirmed AS (
      UPDATE merchant.merchant m
      SET data_exported_at = now()
      WHERE m.id = p_merchant_id AND m.twin_of IS NULL
      RETURNING m.id
    )
  SELECT EXISTS (SELECT FROM confirmed);
$$;

-- Whether the rows of the merchant may be deleted, those that are otherwise kept forever included.
CREATE FUNCTION merchant.deletion_is_due(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.deletes_at <= now())
    OR EXISTS (SELECT FROM operator.deleted_merchant d WHERE d.id = p_merchant_id);
$$;

-- The merchants with rows to delete, those that are due for the longest time first, and a twin before its merchant. A
-- merchant that was deleted within the last hour is one of them: a request that was under way may have left an entry in
-- the audit log.
--
-- answers: rows {merchant_id: uuid}
CREATE FUNCTION merchant.due_for_deletion(p_limit integer)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  (
    SELECT m.id
    FROM merchant.merchant m
    WHERE m.deletes_at <= now()
    ORDER BY m.deletes_at, m.twin_of IS NULL
    LIMIT p_limit
  )
  UNION ALL
  (SELECT d.id FROM operator.deleted_merchant d WHERE d.deleted_at > now() - INTERVAL '1 hour' LIMIT p_limit);
$$;

CREATE FUNCTION merchant.is_active(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.status = 'ACTIVE');
$$;

-- answers: void
CREATE FUNCTION merchant.remove_sender(p_merchant_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM merchant.sender s WHERE s.merchant_id = p_merchant_id;
$$;

CREATE FUNCTION merchant.set_sender_records(p_merchant_id uuid, p_token text, p_records jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM merchant.sender_record r
  WHERE
    r.merchant_id = p_merchant_id
    AND r.purpose NOT IN (SELECT n.purpose FROM jsonb_to_recordset(p_records) AS n (purpose text));
  INSERT INTO merchant.sender_record (merchant_id, purpose, type, name, value, found)
  SELECT s.merchant_id, n.purpose, n.type, n.name, n.value, n.found
  FROM
    merchant.sender s
    CROSS JOIN jsonb_to_recordset(p_records) AS n (purpose text, type text, name text, value text, found boolean)
  WHERE s.merchant_id = p_merchant_id AND s.token = p_token
  ON CONFLICT (merchant_id, purpose) DO UPDATE
    SET
      type = excluded.type,
      name = excluded.name,
      value = excluded.value,
      found = excluded.found;
$$;

-- A domain that is being set up is looked at often, one that has been given up once a day.
CREATE FUNCTION merchant.next_sender_check(p_status text, p_created_at timestamptz)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT
    now() + CASE
      WHEN p_status = 'CONFIRMED' THEN INTERVAL '1 hour'
      WHEN p_created_at > now() - INTERVAL '3 days' THEN INTERVAL '10 minutes'
      ELSE INTERVAL '1 day'
    END;
$$;

-- Takes the senders whose check is due, those that wait for the longest time first. A check that ends without an
-- outcome is repeated after ten minutes.
--
-- answers: rows {merchant_id: uuid, domain: text, token: text}
CREATE FUNCTION merchant.claim_sender_checks(p_limit integer)
RETURNS TABLE (merchant_id uuid, domain text, token text)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE merchant.sender s
  SET next_check_at = now() + INTERVAL '10 minutes'
  WHERE
    s.merchant_id IN (
      SELECT x.merchant_id
      FROM merchant.sender x
      WHERE x.next_check_at <= now()
      ORDER BY x.next_check_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
  RETURNING s.merchant_id, s.domain, s.token;
$$;

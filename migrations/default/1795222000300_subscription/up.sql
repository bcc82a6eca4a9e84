-- A merchant asks for another plan and an operator confirms it: a larger one begins at once, a smaller one with the next period.

CREATE FUNCTION merchant.plan_rank(p_plan text) RETURNS integer
LANGUAGE sql IMMUTABLE
AS $$
  SELECT array_position('{FREE,STARTER,PRO,ENTERPRISE}', p_plan)
$$;

-- Locks a merchant's subscription. Of a merchant that there is not, every column is NULL.
CREATE FUNCTION merchant.lock_subscription(p_merchant_id uuid) RETURNS merchant.subscription
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription;
BEGIN
  SELECT * INTO v_subscription FROM merchant.subscription s WHERE s.merchant_id = p_merchant_id FOR UPDATE;
  RETURN v_subscription;
END
$$;

-- Notes the plan that a merchant asks for; plan and status stay until an operator confirms it. Asking for the present plan takes back
-- what was asked for, and asking for any takes back a cancellation. p_from: where the state machine allows it.
-- {outcome: 'changed'} | {outcome: 'not_allowed', status}
CREATE FUNCTION merchant.request_plan(p_merchant_id uuid, p_plan text, p_from text[]) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s
  SET
    -- What the next period begins with anyway needs no asking.
    requested_plan = CASE WHEN p_plan <> ALL (ARRAY[s.plan, coalesce(s.next_plan, s.plan)]) THEN p_plan END,
    -- Asked for twice, it was asked for the first time.
    requested_at = CASE
      WHEN p_plan = ANY (ARRAY[s.plan, coalesce(s.next_plan, s.plan)]) THEN NULL
      WHEN p_plan = s.requested_plan THEN s.requested_at
      ELSE now()
    END,
    next_plan = CASE WHEN p_plan <> s.plan THEN s.next_plan END,
    cancel_at_period_end = false
  WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END
$$;

-- Gives a locked subscription another plan: a larger one at once, a smaller one with the next period, unless p_at_once. No request is
-- left. p_to: the status of one that p_from allows to choose; any other keeps its own.
CREATE FUNCTION merchant.give_plan(p_subscription merchant.subscription, p_plan text, p_at_once boolean, p_from text[], p_to text) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE merchant.subscription s
  SET
    plan = CASE WHEN n.now THEN p_plan ELSE s.plan END,
    next_plan = CASE WHEN NOT n.now THEN p_plan END,
    status = CASE WHEN n.now AND s.status = ANY (p_from) THEN p_to ELSE s.status END,
    requested_plan = NULL,
    requested_at = NULL,
    cancel_at_period_end = false,
    -- A period that is over already begins anew; one under way goes on.
    current_period_start = CASE WHEN n.now AND s.current_period_end <= now() THEN now() ELSE s.current_period_start END,
    current_period_end = CASE WHEN n.now AND s.current_period_end <= now() THEN now() + interval '1 month' ELSE s.current_period_end END
  FROM (SELECT p_at_once OR merchant.plan_rank(p_plan) > merchant.plan_rank(p_subscription.plan) AS now) n
  WHERE s.merchant_id = p_subscription.merchant_id
$$;

-- Answers what a merchant has asked for, named so that nothing else is answered in its place.
-- {outcome: 'changed'} | {outcome: 'unknown'} | {outcome: 'not_requested', requested} | {outcome: 'not_allowed', status}
CREATE FUNCTION merchant.answer_plan_request(p_merchant_id uuid, p_plan text, p_confirm boolean, p_from text[], p_to text) RETURNS jsonb
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
    UPDATE merchant.subscription s SET requested_plan = NULL, requested_at = NULL WHERE s.merchant_id = p_merchant_id;
    RETURN jsonb_build_object('outcome', 'changed');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  PERFORM merchant.give_plan(v_subscription, p_plan, false, p_from, p_to);
  RETURN jsonb_build_object('outcome', 'changed');
END
$$;

-- Puts a merchant on a plan at once, asked for or not. {outcome: 'changed'} | {outcome: 'unknown'}
CREATE FUNCTION merchant.set_plan(p_merchant_id uuid, p_plan text, p_from text[], p_to text) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  PERFORM merchant.give_plan(v_subscription, p_plan, true, p_from, p_to);
  RETURN jsonb_build_object('outcome', 'changed');
END
$$;

-- Whether the subscription ends with the period. What request_plan answers.
CREATE FUNCTION merchant.set_cancellation(p_merchant_id uuid, p_cancel boolean, p_from text[]) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s
  SET
    cancel_at_period_end = p_cancel,
    next_plan = CASE WHEN NOT p_cancel THEN s.next_plan END,
    requested_plan = CASE WHEN NOT p_cancel THEN s.requested_plan END,
    requested_at = CASE WHEN NOT p_cancel THEN s.requested_at END
  WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END
$$;

-- Begins the next period of subscriptions whose period is over: with the plan that was asked for, or, cancelled, with the free one.
-- Months that nobody looked in are skipped, so the day of the month stays. Returns how many; fewer than p_limit means that it is done.
CREATE FUNCTION merchant.begin_periods(p_limit integer, p_from text[], p_renewed text, p_ended text) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH due AS (
    SELECT s.merchant_id, s.current_period_end, m.months
    FROM merchant.subscription s
    -- The first whole number of months that leads past now; a bound keeps a wrong clock from counting for ever.
    CROSS JOIN LATERAL (
      SELECT min(n) AS months FROM generate_series(1, 1200) n WHERE s.current_period_end + make_interval(months => n) > now()
    ) m
    WHERE s.current_period_end <= now() AND s.status = ANY (p_from)
    ORDER BY s.current_period_end
    LIMIT p_limit
    FOR UPDATE OF s SKIP LOCKED
  ),
  begun AS (
    UPDATE merchant.subscription s
    SET
      plan = CASE WHEN s.cancel_at_period_end THEN 'FREE' ELSE coalesce(s.next_plan, s.plan) END,
      status = CASE WHEN s.cancel_at_period_end THEN p_ended ELSE p_renewed END,
      next_plan = NULL,
      cancel_at_period_end = false,
      current_period_start = due.current_period_end + make_interval(months => due.months - 1),
      current_period_end = due.current_period_end + make_interval(months => due.months)
    FROM due
    WHERE s.merchant_id = due.merchant_id
    RETURNING 1
  )
  SELECT count(*)::integer FROM begun
$$;

-- An allow-list that is switched on and empty lets nobody in, not even whoever could switch it off.
CREATE FUNCTION merchant.keep_a_way_in() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_id uuid := CASE TG_TABLE_NAME WHEN 'merchant' THEN (to_jsonb(NEW) ->> 'id')::uuid ELSE (to_jsonb(OLD) ->> 'merchant_id')::uuid END;
BEGIN
  -- The last two entries could go at once, or the last one while the list is switched on.
  PERFORM FROM merchant.merchant m WHERE m.id = v_merchant_id AND m.ip_allow_list_enabled FOR NO KEY UPDATE;
  IF NOT FOUND OR EXISTS (SELECT FROM merchant.ip_allow_list_entry e WHERE e.merchant_id = v_merchant_id) THEN
    RETURN NULL;
  END IF;
  PERFORM platform.violate('merchant.' || TG_TABLE_NAME, TG_ARGV[0]);
END
$$;
CREATE TRIGGER keep_a_way_in AFTER UPDATE OF ip_allow_list_enabled ON merchant.merchant
  FOR EACH ROW WHEN (NEW.ip_allow_list_enabled AND NOT OLD.ip_allow_list_enabled) EXECUTE FUNCTION merchant.keep_a_way_in('merchant_allow_list_some');
CREATE TRIGGER keep_a_way_in AFTER DELETE ON merchant.ip_allow_list_entry
  FOR EACH ROW EXECUTE FUNCTION merchant.keep_a_way_in('ip_allow_list_entry_not_last');

-- Puts a key with the same name, mode and permissions in the place of one, which goes on working for p_overlap.
-- {outcome: 'rotated', apiKeyId} | {outcome: 'unknown' | 'ended'} | {outcome: 'beyond_own', permission}
CREATE FUNCTION merchant.rotate_api_key(
  p_merchant_id uuid,
  p_own text[],
  p_id uuid,
  p_prefix text,
  p_hash bytea,
  p_overlap interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_key merchant.api_key;
  v_beyond text;
  v_new_id uuid := platform.uuid_v7();
BEGIN
  SELECT * INTO v_key FROM merchant.api_key k WHERE k.merchant_id = p_merchant_id AND k.id = p_id FOR UPDATE;
  IF v_key.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_key.revoked_at IS NOT NULL OR v_key.expires_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'ended');
  END IF;
  v_beyond := (SELECT min(x) FROM unnest(v_key.permissions) x WHERE x <> ALL (p_own));
  IF v_beyond IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'beyond_own', 'permission', v_beyond);
  END IF;
  INSERT INTO merchant.api_key (merchant_id, id, name, mode, prefix, hash, permissions, expires_at)
  VALUES (p_merchant_id, v_new_id, v_key.name, v_key.mode, p_prefix, p_hash, v_key.permissions, v_key.expires_at);
  UPDATE merchant.api_key k SET expires_at = least(k.expires_at, now() + p_overlap)
  WHERE k.merchant_id = p_merchant_id AND k.id = p_id;
  RETURN jsonb_build_object('outcome', 'rotated', 'apiKeyId', v_new_id);
END
$$;

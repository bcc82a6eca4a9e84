-- What a plan doesn't include can't be begun, by whichever way in. What is there already, from a larger plan, goes on working: only
-- what is added is looked at (actions/src/merchant/SPEC.md).

-- Fails when the merchant's plan lacks a feature, and says which plan has it.
CREATE FUNCTION merchant.require_feature(p_merchant_id uuid, p_feature text) RETURNS void
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_plan text := (SELECT s.plan FROM merchant.subscription s WHERE s.merchant_id = p_merchant_id);
  v_needed text;
BEGIN
  IF EXISTS (SELECT FROM merchant.plan_feature f WHERE f.plan = v_plan AND f.feature = p_feature) THEN
    RETURN;
  END IF;
  SELECT f.plan INTO v_needed FROM merchant.plan_feature f
  WHERE f.feature = p_feature
  ORDER BY merchant.plan_rank(f.plan)
  LIMIT 1;
  PERFORM platform.violate(
    'merchant.subscription', 'plan_feature',
    format('the plan %s does not include %s, which needs the plan %s', v_plan, p_feature, coalesce(v_needed, 'NONE')),
    jsonb_build_object('feature', p_feature, 'plan', v_plan, 'requiredPlan', v_needed)::text
  );
END
$$;

-- For statement triggers whose new rows are called added. Argument: the feature that they need.
CREATE FUNCTION merchant.check_feature() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM merchant.require_feature(a.merchant_id, TG_ARGV[0]) FROM (SELECT DISTINCT merchant_id FROM added) a;
  RETURN NULL;
END
$$;
CREATE TRIGGER check_feature AFTER INSERT ON catalog.product REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION merchant.check_feature('catalog');
CREATE TRIGGER check_feature AFTER INSERT ON catalog.category REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION merchant.check_feature('catalog');
CREATE TRIGGER check_feature AFTER INSERT ON ordering.order REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION merchant.check_feature('orders');
CREATE TRIGGER check_feature AFTER INSERT ON payment.payment REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION merchant.check_feature('payments');
CREATE TRIGGER check_feature AFTER INSERT ON merchant.ip_allow_list_entry REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION merchant.check_feature('ip_allow_list');

-- The first warehouse is everybody's.
CREATE FUNCTION merchant.check_warehouses() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of two first ones at once, the second sees the other.
  PERFORM FROM merchant.merchant m WHERE m.id IN (SELECT a.merchant_id FROM added a) ORDER BY m.id FOR NO KEY UPDATE;
  PERFORM merchant.require_feature(a.merchant_id, 'multiple_warehouses')
  FROM (SELECT DISTINCT merchant_id FROM added) a
  WHERE (SELECT count(*) FROM inventory.warehouse w WHERE w.merchant_id = a.merchant_id) > 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER check_feature AFTER INSERT ON inventory.warehouse REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION merchant.check_warehouses();

-- A list that is switched on stays on with a smaller plan, and can be switched off: nobody's protection goes unasked.
CREATE FUNCTION merchant.check_allow_list() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM merchant.require_feature(NEW.id, 'ip_allow_list');
  RETURN NULL;
END
$$;
CREATE TRIGGER check_feature AFTER UPDATE OF ip_allow_list_enabled ON merchant.merchant
  FOR EACH ROW WHEN (NEW.ip_allow_list_enabled AND NOT OLD.ip_allow_list_enabled) EXECUTE FUNCTION merchant.check_allow_list();

-- answers:
--   changed {entryId: uuid}
--   | unknown_customer {}
--   | unknown_reward {}
--   | reward_not_active {}
--   | program_not_enabled {}
--   | not_enough_points {points: integer}
CREATE FUNCTION crm.redeem_reward(p_merchant_id uuid, p_customer_id uuid, p_reward_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reward crm.loyalty_reward;
  v_account crm.loyalty_account;
  v_entry_id uuid := platform.uuid_v7();
  v_promotion_id uuid := platform.uuid_v7();
  -- 64 random bits can't be guessed, and another customer couldn't use the code anyway. They are letters, because
  -- digits can look like a card number, which no column takes.
  v_code text := 'REWARD-' || translate(
    right(replace(gen_random_uuid()::text, '-', ''), 16),
    '0123456789abcdef',
    'GHJKLMNPQRABCDEF'
  );
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  SELECT * INTO v_reward FROM crm.loyalty_reward r WHERE r.merchant_id = p_merchant_id AND r.id = p_reward_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_reward');
  END IF;
  IF NOT v_reward.active THEN
    RETURN jsonb_build_object('outcome', 'reward_not_active');
  END IF;
  IF NOT EXISTS (SELECT FROM crm.loyalty_program g WHERE g.merchant_id = p_merchant_id AND g.enabled) THEN
    RETURN jsonb_build_object('outcome', 'program_not_enabled');
  END IF;
  v_account := crm.hold_loyalty_account(p_merchant_id, p_customer_id);
  IF v_account.points < v_reward.points THEN
    RETURN jsonb_build_object('outcome', 'not_enough_points', 'points', v_account.points);
  END IF;
  INSERT INTO promotion.promotion
    (
      merchant_id,
      id,
      name,
      code,
      discount_type,
      discount_value,
      start_date,
      end_date,
      usage_limit,
      min_purchase_amount,
      customer_ids
    )
  VALUES
    (
      p_merchant_id,
      v_promotion_id,
      v_reward.name,
      v_code,
      'FIXED_AMOUNT',
      v_reward.discount_amount,
      now(),
      now() + make_interval(days => v_reward.valid_days),
      1,
      v_reward.min_purchase_amount,
      ARRAY[p_customer_id]
    );
  INSERT INTO crm.loyalty_entry (merchant_id, id, customer_id, type, points, promotion_id, coupon_code)
  VALUES (p_merchant_id, v_entry_id, p_customer_id, 'REDEEMED', -v_reward.points, v_promotion_id, v_code);
  RETURN jsonb_build_object('outcome', 'changed', 'entryId', v_entry_id);
END;
$$;

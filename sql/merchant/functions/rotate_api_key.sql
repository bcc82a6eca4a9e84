-- answers: rotated {apiKeyId: uuid} | unknown {} | ended {} | beyond_own {permission: text}
-- nullable: p_publishable_key
CREATE FUNCTION merchant.rotate_api_key(
  p_merchant_id uuid,
  p_own text[],
  p_id uuid,
  p_prefix text,
  p_hash bytea,
  p_publishable_key text,
  p_overlap interval
)
RETURNS jsonb
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
  INSERT INTO merchant.api_key
    (merchant_id, id, name, kind, mode, prefix, publishable_key, origins, max_age, permissions, expires_at)
  VALUES
    (
      p_merchant_id,
      v_new_id,
      v_key.name,
      v_key.kind,
      v_key.mode,
      p_prefix,
      p_publishable_key,
      v_key.origins,
      v_key.max_age,
      v_key.permissions,
      v_key.expires_at
    );
  INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) VALUES (p_merchant_id, v_new_id, p_hash);
  UPDATE merchant.api_key k
  SET expires_at = least(k.expires_at, now() + p_overlap)
  WHERE k.merchant_id = p_merchant_id AND k.id = p_id;
  RETURN jsonb_build_object('outcome', 'rotated', 'apiKeyId', v_new_id);
END;
$$;

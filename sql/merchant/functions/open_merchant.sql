-- Opens an empty shop with its first keys and its owner, who has no password yet.
--
-- answers: opened {merchantId: uuid, ownerId: uuid} | unknown_language {}
-- nullable: p_timezone, p_language
-- type merchant.new_key = {mode: 'live' | 'test', name: text, prefix: text, hash: text}
CREATE FUNCTION merchant.open_merchant(
  p_name text,
  p_email text,
  p_country text,
  p_currency text,
  p_timezone text,
  p_language text,
  p_keys jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_id uuid := platform.uuid_v7();
  v_owner_id uuid := platform.uuid_v7();
BEGIN
  IF p_language IS NOT NULL AND NOT EXISTS (SELECT FROM platform.language l WHERE l.code = p_language) THEN
    RETURN jsonb_build_object('outcome', 'unknown_language');
  END IF;
  INSERT INTO merchant.merchant (id, name, email, country) VALUES (v_merchant_id, p_name, p_email, p_country);
  UPDATE merchant.settings s
  SET
    currency = p_currency,
    timezone = coalesce(p_timezone, s.timezone),
    language = coalesce(p_language, s.language)
  WHERE s.merchant_id = v_merchant_id;
  WITH
    new_key AS MATERIALIZED (
      SELECT platform.uuid_v7() AS id, k.mode, k.name, k.prefix, decode(k.hash, 'hex') AS hash
      FROM jsonb_to_recordset(p_keys) AS k (mode text, name text, prefix text, hash text)
    ),
    added AS (
      INSERT INTO merchant.api_key (merchant_id, id, name, mode, prefix, permissions)
      SELECT
        v_merchant_id,
        k.id,
        k.name,
        k.mode,
        k.prefix,
        (SELECT array_agg(p.name ORDER BY p.name) FROM merchant.permission p)
      FROM new_key k
    )
  INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash)
  SELECT v_merchant_id, k.id, k.hash
  FROM new_key k;
  INSERT INTO identity.user (merchant_id, id, email, name) VALUES (v_merchant_id, v_owner_id, p_email, p_email);
  INSERT INTO identity.user_role (merchant_id, user_id, role_id)
  SELECT v_merchant_id, v_owner_id, r.id
  FROM identity.role r
  WHERE r.merchant_id = v_merchant_id AND r.kind = 'OWNER';
  RETURN jsonb_build_object('outcome', 'opened', 'merchantId', v_merchant_id, 'ownerId', v_owner_id);
END;
$$;

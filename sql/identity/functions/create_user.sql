-- answers: changed {id: uuid} | invalid {refusals: identity.refusal[]}
-- nullable: p_name, p_phone
CREATE FUNCTION identity.create_user(
  p_merchant_id uuid,
  p_own text[],
  p_email text,
  p_name text,
  p_phone text,
  p_role_ids uuid[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb[];
BEGIN
  SELECT
    array_agg(
      CASE
        WHEN r.id IS NULL THEN identity.refusal('roleIds.' || (w.position - 1), 'unknown_role')
        ELSE identity.refusal('roleIds.' || (w.position - 1), 'beyond_own', identity.beyond(r.permissions, p_own))
      END
      ORDER BY w.position
    )
  INTO v_refusals
  FROM
    unnest(p_role_ids) WITH ORDINALITY AS w (id, position)
    LEFT JOIN identity.role r ON r.merchant_id = p_merchant_id AND r.id = w.id
  WHERE r.id IS NULL OR identity.beyond(r.permissions, p_own) IS NOT NULL;
  IF
    EXISTS (
      SELECT
      FROM identity.user u
      WHERE u.merchant_id = p_merchant_id AND u.email = p_email::citext AND u.status <> 'DELETED'
    )
  THEN
    v_refusals := identity.refusal('email', 'taken') || v_refusals;
  END IF;
  IF v_refusals IS NOT NULL THEN
    RETURN identity.refused(v_refusals);
  END IF;
  INSERT INTO identity.user (merchant_id, id, email, name, phone)
  VALUES (p_merchant_id, v_id, p_email, coalesce(p_name, p_email), p_phone);
  INSERT INTO identity.user_role (merchant_id, user_id, role_id)
  SELECT DISTINCT p_merchant_id, v_id, x FROM unnest(p_role_ids) x;
  RETURN jsonb_build_object('outcome', 'changed', 'id', v_id);
EXCEPTION WHEN unique_violation THEN -- Another request invited the same address at the same time.
  RETURN identity.refused(ARRAY[identity.refusal('email', 'taken')]);
END;
$$;

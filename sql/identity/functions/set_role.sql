-- answers: identity.update_user()
CREATE FUNCTION identity.set_role(p_merchant_id uuid, p_own text[], p_user_id uuid, p_role_id uuid, p_held boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_user_id, 'userId');
  v_role identity.role;
  v_status text;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_role FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_role_id FOR SHARE;
  IF NOT FOUND THEN
    RETURN identity.refused(ARRAY[identity.refusal('roleId', 'unknown_role')]);
  END IF;
  IF identity.beyond(v_role.permissions, p_own) IS NOT NULL THEN
    RETURN identity.refused(
      ARRAY[identity.refusal('roleId', 'beyond_own', identity.beyond(v_role.permissions, p_own))]
    );
  END IF;
  SELECT u.status INTO v_status FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id;
  IF v_status = 'DELETED' THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  IF p_held THEN
    INSERT INTO identity.user_role (merchant_id, user_id, role_id)
    VALUES (p_merchant_id, p_user_id, p_role_id)
    ON CONFLICT DO NOTHING;
  ELSE
    IF v_role.kind = 'OWNER' AND identity.is_last_owner(p_merchant_id, p_user_id) THEN
      RETURN identity.refused(ARRAY[identity.refusal('roleId', 'last_owner')]);
    END IF;
    DELETE FROM identity.user_role l
    WHERE l.merchant_id = p_merchant_id AND l.user_id = p_user_id AND l.role_id = p_role_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_user_id);
END;
$$;

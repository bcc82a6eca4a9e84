CREATE FUNCTION identity.built_in_permissions(p_kind text)
RETURNS text[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(p.name ORDER BY p.name), '{}')
  FROM
    merchant.permission p
    CROSS JOIN LATERAL (SELECT split_part(p.name, ':', 1) AS resource, split_part(p.name, ':', 2) AS action) x
  WHERE
    CASE p_kind
      WHEN 'OWNER' THEN TRUE
      WHEN 'ADMIN' THEN p.name <> 'billing:write'
      WHEN 'MANAGER' THEN x.action = 'read'
      OR x.resource NOT IN ('users', 'roles', 'api_keys', 'merchant', 'billing')
      WHEN 'SUPPORT' THEN (x.action = 'read' AND x.resource NOT IN ('users', 'roles', 'api_keys', 'audit'))
      OR p.name IN ('customers:write', 'carts:write', 'orders:write', 'booking:write')
      WHEN 'READ_ONLY' THEN x.action = 'read'
    END;
$$;

CREATE FUNCTION identity.lock_ownership(p_merchant_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.kind = 'OWNER' FOR UPDATE;
$$;

CREATE FUNCTION identity.beyond(p_granted text[], p_own text[])
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT min(x) FROM unnest(p_granted) x WHERE x <> ALL (p_own);
$$;

-- type identity.refusal =
--   {
--   field: text,
--   reason: 'unknown_role' | 'unknown_permission' | 'beyond_own' | 'taken' | 'last_owner' | 'built_in' | 'in_use',
--   permission: text | null
--   }
CREATE FUNCTION identity.refusal(p_field text, p_reason text, p_permission text DEFAULT NULL)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_build_object('field', p_field, 'reason', p_reason, 'permission', p_permission);
$$;

CREATE FUNCTION identity.refused(p_refusals jsonb[])
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_build_object('outcome', 'invalid', 'refusals', to_jsonb(p_refusals));
$$;

CREATE FUNCTION identity.lock_user(p_merchant_id uuid, p_own text[], p_id uuid, p_field text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_beyond text;
BEGIN
  PERFORM identity.lock_ownership(p_merchant_id);
  PERFORM FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  SELECT identity.beyond(a.permissions, p_own)
  INTO v_beyond
  FROM identity.user_access a
  WHERE a.merchant_id = p_merchant_id AND a.user_id = p_id;
  RETURN CASE
    WHEN v_beyond IS NOT NULL THEN identity.refused(ARRAY[identity.refusal(p_field, 'beyond_own', v_beyond)])
  END;
END;
$$;

-- answers:
--   changed {id: uuid}
--   | unknown {}
--   | not_allowed {status: identity.user.status}
--   | invalid {refusals: identity.refusal[]}
CREATE FUNCTION identity.update_user(p_merchant_id uuid, p_own text[], p_id uuid, p_changes jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_id, 'id');
  v_user identity.user;
  v_changed identity.user;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_user FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  IF v_user.status = 'DELETED' THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_user.status);
  END IF;
  v_changed := jsonb_populate_record(v_user, p_changes);
  UPDATE identity.user u
  SET
    email = v_changed.email,
    name = v_changed.name,
    phone = v_changed.phone,
    email_verified = v_user.email_verified AND v_changed.email = v_user.email
  WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
EXCEPTION WHEN unique_violation THEN
  RETURN identity.refused(ARRAY[identity.refusal('email', 'taken')]);
END;
$$;

CREATE FUNCTION identity.is_last_owner(p_merchant_id uuid, p_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(bool_or(u.id = p_id) AND count(*) = 1, FALSE)
  FROM
    identity.role r
    JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
    JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
  WHERE r.merchant_id = p_merchant_id AND r.kind = 'OWNER' AND u.status = 'ACTIVE';
$$;

-- answers: identity.update_user()
CREATE FUNCTION identity.change_user_status(p_merchant_id uuid, p_own text[], p_id uuid, p_from text[], p_to text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_id, 'id');
  v_status text;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT u.status INTO v_status FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  IF v_status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  IF p_to <> 'ACTIVE' AND identity.is_last_owner(p_merchant_id, p_id) THEN
    RETURN identity.refused(ARRAY[identity.refusal('id', 'last_owner')]);
  END IF;
  UPDATE identity.user u SET status = p_to WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  IF p_to = 'DELETED' THEN
    DELETE FROM identity.user_role l WHERE l.merchant_id = p_merchant_id AND l.user_id = p_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END;
$$;

CREATE FUNCTION identity.permission_refusals(p_permissions text[], p_own text[])
RETURNS jsonb[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    array_agg(
      identity.refusal(
        'permissions.' || (w.position - 1),
        CASE
          WHEN p.name IS NULL THEN 'unknown_permission'
          ELSE 'beyond_own'
        END,
        w.name
      )
      ORDER BY w.position
    )
  FROM
    unnest(p_permissions) WITH ORDINALITY AS w (name, position)
    LEFT JOIN merchant.permission p ON p.name = w.name
  WHERE p.name IS NULL OR w.name <> ALL (p_own);
$$;

-- answers: identity.create_user()
-- nullable: p_description
CREATE FUNCTION identity.create_role(
  p_merchant_id uuid,
  p_own text[],
  p_name text,
  p_description text,
  p_permissions text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb[] := identity.permission_refusals(p_permissions, p_own);
BEGIN
  IF EXISTS (SELECT FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.name = p_name::citext) THEN
    v_refusals := identity.refusal('name', 'taken') || v_refusals;
  END IF;
  IF v_refusals IS NOT NULL THEN
    RETURN identity.refused(v_refusals);
  END IF;
  INSERT INTO identity.role (merchant_id, id, name, description, permissions)
  VALUES (p_merchant_id, v_id, p_name, p_description, ARRAY(SELECT DISTINCT x FROM unnest(p_permissions) x ORDER BY x));
  RETURN jsonb_build_object('outcome', 'changed', 'id', v_id);
EXCEPTION WHEN unique_violation THEN
  RETURN identity.refused(ARRAY[identity.refusal('name', 'taken')]);
END;
$$;

CREATE FUNCTION identity.lock_role(p_merchant_id uuid, p_own text[], p_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_role identity.role;
BEGIN
  SELECT * INTO v_role FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id FOR UPDATE;
  RETURN CASE
    WHEN v_role.id IS NULL THEN jsonb_build_object('outcome', 'unknown')
    WHEN v_role.built_in THEN identity.refused(ARRAY[identity.refusal('id', 'built_in')])
    WHEN identity.beyond(v_role.permissions, p_own) IS NOT NULL THEN identity.refused(
      ARRAY[identity.refusal('id', 'beyond_own', identity.beyond(v_role.permissions, p_own))]
    )
  END;
END;
$$;

-- answers: changed {id: uuid} | unknown {} | invalid {refusals: identity.refusal[]}
CREATE FUNCTION identity.update_role(p_merchant_id uuid, p_own text[], p_id uuid, p_changes jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_role(p_merchant_id, p_own, p_id);
  v_role identity.role;
  v_refusals jsonb[];
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_role FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  v_role := jsonb_populate_record(v_role, p_changes);
  v_refusals := identity.permission_refusals(v_role.permissions, p_own);
  IF v_refusals IS NOT NULL THEN
    RETURN identity.refused(v_refusals);
  END IF;
  UPDATE identity.role r
  SET
    name = v_role.name,
    description = v_role.description,
    permissions = ARRAY(SELECT DISTINCT x FROM unnest(v_role.permissions) x ORDER BY x)
    WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
EXCEPTION WHEN unique_violation THEN
  RETURN identity.refused(ARRAY[identity.refusal('name', 'taken')]);
END;
$$;

-- answers: identity.update_role()
CREATE FUNCTION identity.delete_role(p_merchant_id uuid, p_own text[], p_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_role(p_merchant_id, p_own, p_id);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  -- The role can't be given to a user while it is locked.
  IF EXISTS (SELECT FROM identity.user_role l WHERE l.merchant_id = p_merchant_id AND l.role_id = p_id) THEN
    RETURN identity.refused(ARRAY[identity.refusal('id', 'in_use')]);
  END IF;
  DELETE FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END;
$$;

CREATE FUNCTION identity.is_known_client(p_merchant_id uuid, p_subject text, p_email text, p_client text)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        identity.known_client k
        LEFT JOIN identity.user u ON u.merchant_id = k.merchant_id AND u.id = k.user_id
        LEFT JOIN crm.customer x ON x.merchant_id = k.merchant_id AND x.id = k.customer_id AND x.has_account
      WHERE
        k.merchant_id = p_merchant_id
        AND k.client = p_client
        AND CASE p_subject
          WHEN 'USER' THEN u.email
          ELSE x.email
        END = p_email::citext
    );
$$;

CREATE FUNCTION identity.remember_client(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_client text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_client IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO identity.known_client AS k (merchant_id, user_id, customer_id, client)
  VALUES (p_merchant_id, p_user_id, p_customer_id, p_client)
  ON CONFLICT ON CONSTRAINT known_client_key DO UPDATE SET last_at = now();
  DELETE FROM identity.known_client k
  WHERE
    (k.merchant_id, k.id) IN (
      SELECT x.merchant_id, x.id
      FROM identity.known_client x
      WHERE x.merchant_id = p_merchant_id AND (x.user_id = p_user_id OR x.customer_id = p_customer_id)
      ORDER BY x.last_at DESC
      OFFSET 20
    );
END;
$$;

CREATE FUNCTION identity.revoke_session(p_merchant_id uuid, p_session_id uuid, p_reason text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE identity.session s
  SET
    revoked_at = now(),
    revoked_reason = p_reason
  WHERE s.merchant_id = p_merchant_id AND s.id = p_session_id AND s.revoked_at IS NULL;
$$;

CREATE FUNCTION identity.revoke_sessions(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_reason text)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    revoked AS (
      UPDATE identity.session s
      SET
        revoked_at = now(),
        revoked_reason = p_reason
      WHERE
        s.merchant_id = p_merchant_id
        AND (s.user_id = p_user_id OR s.customer_id = p_customer_id)
        AND s.revoked_at IS NULL
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM revoked;
$$;

-- answers: integer
CREATE FUNCTION identity.sign_out(p_merchant_id uuid, p_hash bytea, p_everywhere boolean)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_session identity.session;
BEGIN
  SELECT s.*
  INTO v_session
  FROM
    identity.refresh_token t
    JOIN identity.session s ON s.merchant_id = t.merchant_id AND s.id = t.session_id
  WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash;
  IF v_session.id IS NULL THEN
    RETURN 0;
  END IF;
  IF p_everywhere THEN
    RETURN identity.revoke_sessions(p_merchant_id, v_session.user_id, v_session.customer_id, 'SIGNED_OUT');
  END IF;
  PERFORM identity.revoke_session(p_merchant_id, v_session.id, 'SIGNED_OUT');
  RETURN 1;
END;
$$;

-- answers: boolean
-- nullable: p_user_id, p_customer_id
CREATE FUNCTION identity.end_session(
  p_merchant_id uuid,
  p_session_id uuid,
  p_user_id uuid,
  p_customer_id uuid,
  p_of_customers boolean
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM identity.session s
  WHERE
    s.merchant_id = p_merchant_id
    AND s.id = p_session_id
    AND (s.user_id = p_user_id OR s.customer_id = p_customer_id OR (p_of_customers AND s.customer_id IS NOT NULL));
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  PERFORM identity.revoke_session(p_merchant_id, p_session_id, 'REVOKED');
  RETURN TRUE;
END;
$$;

-- answers: changed {} | unknown_customer {} | anonymized {}
CREATE FUNCTION identity.block_customer(p_merchant_id uuid, p_customer_id uuid, p_reason text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer crm.customer;
BEGIN
  SELECT *
  INTO v_customer
  FROM crm.customer x
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id
  FOR NO KEY UPDATE;
  IF v_customer.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  ELSEIF v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'anonymized');
  END IF;
  UPDATE crm.customer x
  SET
    blocked_at = coalesce(x.blocked_at, now()),
    blocked_reason = p_reason
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id;
  PERFORM identity.revoke_sessions(p_merchant_id, NULL, p_customer_id, 'BLOCKED');
  DELETE FROM identity.one_time_token t WHERE t.merchant_id = p_merchant_id AND t.customer_id = p_customer_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- answers: changed {} | unknown_customer {}
CREATE FUNCTION identity.unblock_customer(p_merchant_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  UPDATE crm.customer x
  SET
    blocked_at = NULL,
    blocked_reason = NULL
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND x.blocked_at IS NOT NULL;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- answers: registered {id: uuid} | taken {}
-- nullable: p_phone
CREATE FUNCTION identity.register_customer(
  p_merchant_id uuid,
  p_email text,
  p_name text,
  p_phone text,
  p_marketing_opt_in boolean,
  p_password_hash text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
BEGIN
  INSERT INTO crm.customer (merchant_id, email, name, phone, marketing_opt_in)
  VALUES (p_merchant_id, p_email, p_name, p_phone, p_marketing_opt_in)
  RETURNING id
  INTO v_id;
  INSERT INTO identity.credential (merchant_id, customer_id, password_hash)
  VALUES (p_merchant_id, v_id, p_password_hash);
  RETURN jsonb_build_object('outcome', 'registered', 'id', v_id);
EXCEPTION WHEN unique_violation THEN
  RETURN jsonb_build_object('outcome', 'taken');
END;
$$;

-- answers: void
-- nullable: p_user_id, p_customer_id
CREATE FUNCTION identity.set_password(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_password_hash text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_user_id IS NOT NULL THEN
    INSERT INTO identity.credential AS c (merchant_id, user_id, password_hash)
    VALUES (p_merchant_id, p_user_id, p_password_hash)
    ON CONFLICT (merchant_id, user_id) DO UPDATE
      SET
        password_hash = excluded.password_hash,
        changed_at = now();
  ELSE
    INSERT INTO identity.credential AS c (merchant_id, customer_id, password_hash)
    VALUES (p_merchant_id, p_customer_id, p_password_hash)
    ON CONFLICT (merchant_id, customer_id) DO UPDATE
      SET
        password_hash = excluded.password_hash,
        changed_at = now();
  END IF;
  PERFORM identity.revoke_sessions(p_merchant_id, p_user_id, p_customer_id, 'PASSWORD_CHANGED');
  DELETE FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND (
      (
        a.subject = 'USER'
        AND a.email = (SELECT u.email FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id)
      )
      OR (
        a.subject = 'CUSTOMER'
        AND a.email = (SELECT x.email FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id)
      )
    );
END;
$$;

CREATE FUNCTION identity.use_one_time_token(p_merchant_id uuid, p_hash bytea, p_purposes text[])
RETURNS identity.one_time_token
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token;
BEGIN
  UPDATE identity.one_time_token t
  SET
    used_at = now(),
    undelivered = NULL
  WHERE
    t.merchant_id = p_merchant_id
    AND t.hash = p_hash
    AND t.purpose = ANY (p_purposes)
    AND t.used_at IS NULL
    AND t.expires_at > now()
    AND t.email = coalesce(
      (
        SELECT u.email
        FROM identity.user u
        WHERE u.merchant_id = t.merchant_id AND u.id = t.user_id AND u.status <> 'DELETED'
      ),
      (SELECT x.email FROM crm.customer x WHERE x.merchant_id = t.merchant_id AND x.id = t.customer_id)
    )
  RETURNING t.*
  INTO v_token;
  RETURN v_token;
END;
$$;

CREATE FUNCTION identity.mark_email_verified(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.user u
  SET email_verified = TRUE
  WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND NOT u.email_verified;
  UPDATE crm.customer x
  SET email_verified = TRUE
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND NOT x.email_verified;
END;
$$;

-- answers: boolean
CREATE FUNCTION identity.verify_email(p_merchant_id uuid, p_hash bytea)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token := identity.use_one_time_token(p_merchant_id, p_hash, '{EMAIL_VERIFICATION}');
BEGIN
  PERFORM
    identity.mark_email_verified(
      p_merchant_id,
      v_token.user_id,
      identity.account_of_mailed_token(p_merchant_id, v_token.customer_id, FALSE)
    );
  RETURN v_token.id IS NOT NULL;
END;
$$;

-- answers: boolean
CREATE FUNCTION identity.reset_password(
  p_merchant_id uuid,
  p_hash bytea,
  p_password_hash text,
  p_join_from text[],
  p_join_to text
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token := identity.use_one_time_token(p_merchant_id, p_hash, '{INVITATION,PASSWORD_RESET}');
  v_customer_id uuid;
BEGIN
  IF v_token.id IS NULL THEN
    RETURN FALSE;
  END IF;
  v_customer_id := identity.account_of_mailed_token(p_merchant_id, v_token.customer_id, TRUE);
  PERFORM identity.mark_email_verified(p_merchant_id, v_token.user_id, v_customer_id);
  UPDATE identity.user u
  SET status = p_join_to
  WHERE
    u.merchant_id = p_merchant_id
    AND u.id = v_token.user_id
    AND u.status = ANY (p_join_from)
    AND v_token.purpose = 'INVITATION';
  PERFORM identity.set_password(p_merchant_id, v_token.user_id, v_customer_id, p_password_hash);
  RETURN TRUE;
END;
$$;

-- answers: boolean
CREATE FUNCTION identity.enroll_totp(p_merchant_id uuid, p_user_id uuid, p_secret text)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO identity.totp AS t (merchant_id, user_id, secret)
  VALUES (p_merchant_id, p_user_id, p_secret)
  ON CONFLICT (merchant_id, user_id) DO UPDATE
    SET
      secret = excluded.secret,
      created_at = now(),
      last_counter = 0
    WHERE t.confirmed_at IS NULL;
  RETURN FOUND;
END;
$$;

-- answers: boolean
CREATE FUNCTION identity.confirm_totp(p_merchant_id uuid, p_user_id uuid, p_counter bigint, p_recovery_hashes text[])
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.totp t
  SET
    confirmed_at = now(),
    last_counter = p_counter
  WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id AND t.confirmed_at IS NULL;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  DELETE FROM identity.recovery_code c WHERE c.merchant_id = p_merchant_id AND c.user_id = p_user_id;
  INSERT INTO identity.recovery_code (merchant_id, user_id, hash)
  SELECT p_merchant_id, p_user_id, decode(x, 'hex') FROM unnest(p_recovery_hashes) x;
  UPDATE identity.user u SET mfa_enabled = TRUE WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id;
  RETURN TRUE;
END;
$$;

-- answers: boolean
CREATE FUNCTION identity.use_totp(p_merchant_id uuid, p_user_id uuid, p_counter bigint)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.totp t
  SET last_counter = p_counter
  WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id AND t.last_counter < p_counter;
  RETURN FOUND;
END;
$$;

-- answers: boolean
CREATE FUNCTION identity.use_recovery_code(p_merchant_id uuid, p_user_id uuid, p_hash bytea)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.recovery_code c
  SET used_at = now()
  WHERE c.merchant_id = p_merchant_id AND c.user_id = p_user_id AND c.hash = p_hash AND c.used_at IS NULL;
  RETURN FOUND;
END;
$$;

-- Whether the merchant requires authenticators.
--
-- answers: boolean
CREATE FUNCTION identity.requires_mfa(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM merchant.settings s WHERE s.merchant_id = p_merchant_id AND s.mfa_required);
$$;

-- Whether the user has to set up an authenticator before it has any permission.
--
-- answers: boolean
CREATE FUNCTION identity.lacks_mfa(p_merchant_id uuid, p_user_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    identity.requires_mfa(p_merchant_id)
    AND EXISTS (
      SELECT FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND NOT u.mfa_enabled
    );
$$;

-- answers: void
CREATE FUNCTION identity.remove_totp(p_merchant_id uuid, p_user_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM identity.totp t WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id;
  DELETE FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = 'USER'
    AND a.email = (SELECT u.email FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id);
  UPDATE identity.user u
  SET mfa_enabled = FALSE
  WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND u.mfa_enabled;
END;
$$;

-- answers: identity.update_role()
CREATE FUNCTION identity.reset_totp(p_merchant_id uuid, p_own text[], p_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_id, 'id');
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  PERFORM identity.remove_totp(p_merchant_id, p_id);
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END;
$$;

-- The customers who count as one buyer: an account by itself, a guest with all guests of the same address or network.
CREATE FUNCTION identity.same_buyer(p_merchant_id uuid, p_customer_id uuid)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
AS $$
  SELECT crm.same_person(p_merchant_id, p_customer_id)
  UNION
  SELECT s.customer_id
  FROM
    crm.customer c
    JOIN identity.session n ON n.merchant_id = c.merchant_id AND n.customer_id = c.id
    JOIN identity.session s ON s.merchant_id = n.merchant_id AND s.network = n.network AND s.customer_id IS NOT NULL
    JOIN crm.customer g ON g.merchant_id = s.merchant_id AND g.id = s.customer_id AND NOT g.has_account
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND NOT c.has_account;
$$;

-- What `identity.same_buyer` finds buyers by: themselves, and of guests their addresses and networks.
CREATE FUNCTION identity.marks_of_buyers(p_merchant_id uuid, p_customer_ids uuid[])
RETURNS SETOF text
LANGUAGE sql
STABLE
AS $$
  SELECT id::text
  FROM unnest(p_customer_ids) AS id
  UNION
  SELECT lower(c.email::text)
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = ANY (p_customer_ids) AND NOT c.has_account
  UNION
  SELECT n.network
  FROM
    crm.customer c
    JOIN identity.session n ON n.merchant_id = c.merchant_id AND n.customer_id = c.id AND n.network IS NOT NULL
  WHERE c.merchant_id = p_merchant_id AND c.id = ANY (p_customer_ids) AND NOT c.has_account;
$$;

-- Of two transactions whose buyers are counted together, the later one sees what the other has written. All locks are
-- taken in one order. p_counted: what is counted, so that other things need not wait for it.
CREATE FUNCTION identity.lock_buyers(p_merchant_id uuid, p_customer_ids uuid[], p_counted text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_customer_ids = '{}' THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(l.key)
  FROM
    (
      SELECT DISTINCT hashtextextended(format('%s of %s %s', p_counted, p_merchant_id, m), 0) AS key
      FROM identity.marks_of_buyers(p_merchant_id, p_customer_ids) m
      ORDER BY 1
      OFFSET 0
    ) l;
END;
$$;

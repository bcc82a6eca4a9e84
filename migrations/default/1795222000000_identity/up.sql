-- The people who work for a merchant, the roles that say what they may do, and who may give which role to whom.

INSERT INTO merchant.permission (name, description) VALUES
  ('users:read', 'See the merchant''s users'),
  ('users:write', 'Invite, change, suspend and delete users, and give them roles'),
  ('roles:read', 'See roles and what they permit'),
  ('roles:write', 'Create, change and delete roles'),
  ('billing:write', 'Change, cancel and resume the merchant''s plan');

-- Roles that every merchant has. What they permit follows from the permissions that there are, so that a permission which
-- is added later finds its way into them.
CREATE TABLE identity.built_in_role (
  kind text PRIMARY KEY CHECK (kind IN ('OWNER', 'ADMIN', 'MANAGER', 'SUPPORT', 'READ_ONLY')),
  name text NOT NULL,
  description text NOT NULL
);
INSERT INTO identity.built_in_role (kind, name, description) VALUES
  ('OWNER', 'Owner', 'Everything, the plan included'),
  ('ADMIN', 'Admin', 'Everything but the plan'),
  ('MANAGER', 'Manager', 'Runs the shop; sees the account, its users and keys, and leaves them as they are'),
  ('SUPPORT', 'Support', 'Helps customers with their carts, orders and appointments'),
  ('READ_ONLY', 'Read-only', 'Sees everything and changes nothing');

CREATE FUNCTION identity.built_in_permissions(p_kind text) RETURNS text[]
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(array_agg(p.name ORDER BY p.name), '{}')
  FROM merchant.permission p
  CROSS JOIN LATERAL (SELECT split_part(p.name, ':', 1) AS resource, split_part(p.name, ':', 2) AS action) x
  WHERE CASE p_kind
    WHEN 'OWNER' THEN true
    WHEN 'ADMIN' THEN p.name <> 'billing:write'
    WHEN 'MANAGER' THEN x.action = 'read' OR x.resource NOT IN ('users', 'roles', 'api_keys', 'merchant', 'billing')
    WHEN 'SUPPORT' THEN
      (x.action = 'read' AND x.resource NOT IN ('users', 'roles', 'api_keys', 'audit'))
      OR p.name IN ('customers:write', 'carts:write', 'orders:write', 'booking:write')
    WHEN 'READ_ONLY' THEN x.action = 'read'
  END
$$;

CREATE TABLE identity.role (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- NULL: one that the merchant has made.
  kind text REFERENCES identity.built_in_role,
  built_in boolean NOT NULL GENERATED ALWAYS AS (kind IS NOT NULL) STORED,
  name citext NOT NULL CHECK (name <> ''),
  description text,
  permissions text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT role_name_key UNIQUE (merchant_id, name),
  CONSTRAINT role_kind_key UNIQUE (merchant_id, kind)
);
CREATE INDEX role_created_at ON identity.role (merchant_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON identity.role
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION identity.add_built_in_roles() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO identity.role (merchant_id, kind, name, description, permissions)
  SELECT NEW.id, b.kind, b.name, b.description, identity.built_in_permissions(b.kind) FROM identity.built_in_role b;
  RETURN NULL;
END
$$;
CREATE TRIGGER add_built_in_roles AFTER INSERT ON merchant.merchant
  FOR EACH ROW EXECUTE FUNCTION identity.add_built_in_roles();
INSERT INTO identity.role (merchant_id, kind, name, description, permissions)
SELECT m.id, b.kind, b.name, b.description, identity.built_in_permissions(b.kind)
FROM merchant.merchant m CROSS JOIN identity.built_in_role b;

-- A role is never about a permission that there isn't.
CREATE FUNCTION identity.follow_permissions() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.role r SET permissions = identity.built_in_permissions(r.kind)
  WHERE r.built_in AND r.permissions <> identity.built_in_permissions(r.kind);
  IF TG_OP = 'DELETE' THEN
    UPDATE identity.role r
    SET permissions = ARRAY(SELECT x FROM unnest(r.permissions) x WHERE EXISTS (SELECT FROM merchant.permission p WHERE p.name = x))
    WHERE EXISTS (SELECT FROM unnest(r.permissions) x WHERE NOT EXISTS (SELECT FROM merchant.permission p WHERE p.name = x));
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER roles_follow AFTER INSERT OR DELETE ON merchant.permission
  FOR EACH STATEMENT EXECUTE FUNCTION identity.follow_permissions();

CREATE FUNCTION identity.check_role_permissions() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF EXISTS (SELECT FROM unnest(NEW.permissions) x WHERE NOT EXISTS (SELECT FROM merchant.permission p WHERE p.name = x)) THEN
    PERFORM platform.violate('identity.role', 'role_permissions_exist');
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER check_permissions BEFORE INSERT OR UPDATE OF permissions ON identity.role
  FOR EACH ROW EXECUTE FUNCTION identity.check_role_permissions();

CREATE TABLE identity.user (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  email citext NOT NULL CHECK (email <> ''),
  name text NOT NULL CHECK (name <> ''),
  phone text,
  email_verified boolean NOT NULL DEFAULT false,
  mfa_enabled boolean NOT NULL DEFAULT false,
  last_login_at timestamptz,
  status text NOT NULL DEFAULT 'INACTIVE' CHECK (status IN ('ACTIVE', 'INACTIVE', 'SUSPENDED', 'DELETED')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);
-- The address of somebody who has been deleted is free for somebody else.
CREATE UNIQUE INDEX user_email_key ON identity.user (merchant_id, email) WHERE status <> 'DELETED';
CREATE INDEX user_created_at ON identity.user (merchant_id, created_at, id);
-- Signing in is no change of the user.
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON identity.user
  FOR EACH ROW WHEN (OLD.last_login_at IS NOT DISTINCT FROM NEW.last_login_at) EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE identity.user_role (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, user_id, role_id),
  CONSTRAINT user_role_user_fkey FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user ON DELETE CASCADE,
  CONSTRAINT user_role_role_fkey FOREIGN KEY (merchant_id, role_id) REFERENCES identity.role ON DELETE CASCADE
);
CREATE INDEX user_role_role ON identity.user_role (merchant_id, role_id);

-- What a user may do: the union of the roles.
CREATE VIEW identity.user_access AS
SELECT
  u.merchant_id,
  u.id AS user_id,
  ARRAY(
    SELECT DISTINCT x
    FROM identity.user_role l
    JOIN identity.role r ON r.merchant_id = l.merchant_id AND r.id = l.role_id
    CROSS JOIN LATERAL unnest(r.permissions) x
    WHERE l.merchant_id = u.merchant_id AND l.user_id = u.id
    ORDER BY x
  ) AS permissions
FROM identity.user u;

-- Verified tokens are remembered by every process: whatever changes what a user may do is announced.
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF status ON identity.user
  FOR EACH ROW EXECUTE FUNCTION merchant.notify_access_changed();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE ON identity.user_role
  FOR EACH ROW EXECUTE FUNCTION merchant.notify_access_changed();
CREATE TRIGGER access_changed AFTER UPDATE OF permissions ON identity.role
  FOR EACH ROW EXECUTE FUNCTION merchant.notify_access_changed();

-- Two owners could take the last step at once. So whoever may end an ownership holds the owner role first.
CREATE FUNCTION identity.lock_ownership(p_merchant_id uuid) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  SELECT FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.kind = 'OWNER' FOR UPDATE
$$;

-- A merchant that has had an active owner keeps one, whatever is written and by whom.
CREATE FUNCTION identity.keep_an_owner() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_owners bigint;
BEGIN
  -- With the merchant itself everybody goes.
  IF NOT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = OLD.merchant_id) THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'user_role' THEN
    IF NOT EXISTS (
      SELECT FROM identity.user u JOIN identity.role r ON r.merchant_id = u.merchant_id
      WHERE u.merchant_id = OLD.merchant_id AND u.id = OLD.user_id AND u.status = 'ACTIVE'
        AND r.id = OLD.role_id AND r.kind = 'OWNER'
    ) THEN
      RETURN NULL;
    END IF;
  ELSIF NOT EXISTS (
    SELECT FROM identity.user_role l JOIN identity.role r ON r.merchant_id = l.merchant_id AND r.id = l.role_id
    WHERE l.merchant_id = OLD.merchant_id AND l.user_id = OLD.id AND r.kind = 'OWNER'
  ) THEN
    RETURN NULL;
  END IF;
  PERFORM identity.lock_ownership(OLD.merchant_id);
  SELECT count(*) INTO v_owners
  FROM identity.role r
  JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
  JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
  WHERE r.merchant_id = OLD.merchant_id AND r.kind = 'OWNER' AND u.status = 'ACTIVE';
  IF v_owners = 0 THEN
    PERFORM platform.violate('identity.user', 'user_last_owner');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_an_owner AFTER UPDATE OF status ON identity.user
  FOR EACH ROW WHEN (OLD.status = 'ACTIVE' AND NEW.status <> 'ACTIVE') EXECUTE FUNCTION identity.keep_an_owner();
CREATE TRIGGER keep_an_owner AFTER DELETE ON identity.user_role
  FOR EACH ROW EXECUTE FUNCTION identity.keep_an_owner();

-- Of what is to be granted, the first that the grantor doesn't have; NULL: all of it may be granted.
CREATE FUNCTION identity.beyond(p_granted text[], p_own text[]) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT min(x) FROM unnest(p_granted) x WHERE x <> ALL (p_own)
$$;

CREATE FUNCTION identity.refusal(p_field text, p_reason text, p_permission text DEFAULT NULL) RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
  SELECT jsonb_build_object('field', p_field, 'reason', p_reason, 'permission', p_permission)
$$;

CREATE FUNCTION identity.refused(VARIADIC p_refusals jsonb[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
  SELECT jsonb_build_object('outcome', 'invalid', 'refusals', to_jsonb(p_refusals))
$$;

-- Invites somebody: INACTIVE until the invitation is accepted. p_own: what the caller may do, and so may grant.
-- {outcome: 'changed', id} | {outcome: 'invalid', refusals: [{field, reason, permission}]}.
CREATE FUNCTION identity.create_user(
  p_merchant_id uuid,
  p_own text[],
  p_email text,
  p_name text,
  p_phone text,
  p_role_ids uuid[]
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb[];
BEGIN
  SELECT array_agg(
    CASE
      WHEN r.id IS NULL THEN identity.refusal('roleIds.' || (w.position - 1), 'unknown_role')
      ELSE identity.refusal('roleIds.' || (w.position - 1), 'beyond_own', identity.beyond(r.permissions, p_own))
    END
    ORDER BY w.position
  ) INTO v_refusals
  FROM unnest(p_role_ids) WITH ORDINALITY AS w(id, position)
  LEFT JOIN identity.role r ON r.merchant_id = p_merchant_id AND r.id = w.id
  WHERE r.id IS NULL OR identity.beyond(r.permissions, p_own) IS NOT NULL;
  IF EXISTS (
    SELECT FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.email = p_email::citext AND u.status <> 'DELETED'
  ) THEN
    v_refusals := identity.refusal('email', 'taken') || v_refusals;
  END IF;
  IF v_refusals IS NOT NULL THEN
    RETURN identity.refused(VARIADIC v_refusals);
  END IF;
  INSERT INTO identity.user (merchant_id, id, email, name, phone) VALUES (p_merchant_id, v_id, p_email, coalesce(p_name, p_email), p_phone);
  INSERT INTO identity.user_role (merchant_id, user_id, role_id)
  SELECT DISTINCT p_merchant_id, v_id, x FROM unnest(p_role_ids) x;
  RETURN jsonb_build_object('outcome', 'changed', 'id', v_id);
EXCEPTION
  -- Somebody else was invited under the same address at the same time.
  WHEN unique_violation THEN
    RETURN identity.refused(identity.refusal('email', 'taken'));
END
$$;

-- Locks a user whom the caller may change: nobody changes somebody who may do more. NULL: go on.
-- {outcome: 'unknown'} | {outcome: 'invalid', refusals}
CREATE FUNCTION identity.lock_user(p_merchant_id uuid, p_own text[], p_id uuid, p_field text) RETURNS jsonb
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
  SELECT identity.beyond(a.permissions, p_own) INTO v_beyond
  FROM identity.user_access a WHERE a.merchant_id = p_merchant_id AND a.user_id = p_id;
  RETURN CASE WHEN v_beyond IS NOT NULL THEN identity.refused(identity.refusal(p_field, 'beyond_own', v_beyond)) END;
END
$$;

-- p_changes: the columns to change, by name. A new address is one that nobody has verified yet.
-- What lock_user answers, {outcome: 'not_allowed', status: 'DELETED'}, {outcome: 'invalid', refusals} or {outcome: 'changed', id}.
CREATE FUNCTION identity.update_user(p_merchant_id uuid, p_own text[], p_id uuid, p_changes jsonb) RETURNS jsonb
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
    email = v_changed.email, name = v_changed.name, phone = v_changed.phone,
    email_verified = v_user.email_verified AND v_changed.email = v_user.email
  WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
EXCEPTION
  WHEN unique_violation THEN
    RETURN identity.refused(identity.refusal('email', 'taken'));
END
$$;

-- Whether ending this user's ownership would leave the merchant without an active owner.
CREATE FUNCTION identity.is_last_owner(p_merchant_id uuid, p_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(bool_or(u.id = p_id) AND count(*) = 1, false)
  FROM identity.role r
  JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
  JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
  WHERE r.merchant_id = p_merchant_id AND r.kind = 'OWNER' AND u.status = 'ACTIVE'
$$;

-- Lets an event of the users' state machine happen. Who is deleted loses the roles.
-- What lock_user answers, {outcome: 'not_allowed', status}, {outcome: 'invalid', refusals} or {outcome: 'changed', id}.
CREATE FUNCTION identity.change_user_status(p_merchant_id uuid, p_own text[], p_id uuid, p_from text[], p_to text) RETURNS jsonb
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
    RETURN identity.refused(identity.refusal('id', 'last_owner'));
  END IF;
  UPDATE identity.user u SET status = p_to WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  IF p_to = 'DELETED' THEN
    DELETE FROM identity.user_role l WHERE l.merchant_id = p_merchant_id AND l.user_id = p_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END
$$;

-- Gives a user a role, or takes it away: either way one that permits nothing beyond what the caller may do.
-- What lock_user answers, {outcome: 'not_allowed', status}, {outcome: 'invalid', refusals} or {outcome: 'changed', id}.
CREATE FUNCTION identity.set_role(p_merchant_id uuid, p_own text[], p_user_id uuid, p_role_id uuid, p_held boolean) RETURNS jsonb
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
    RETURN identity.refused(identity.refusal('roleId', 'unknown_role'));
  END IF;
  IF identity.beyond(v_role.permissions, p_own) IS NOT NULL THEN
    RETURN identity.refused(identity.refusal('roleId', 'beyond_own', identity.beyond(v_role.permissions, p_own)));
  END IF;
  SELECT u.status INTO v_status FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id;
  IF v_status = 'DELETED' THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  IF p_held THEN
    INSERT INTO identity.user_role (merchant_id, user_id, role_id) VALUES (p_merchant_id, p_user_id, p_role_id)
    ON CONFLICT DO NOTHING;
  ELSE
    IF v_role.kind = 'OWNER' AND identity.is_last_owner(p_merchant_id, p_user_id) THEN
      RETURN identity.refused(identity.refusal('roleId', 'last_owner'));
    END IF;
    DELETE FROM identity.user_role l
    WHERE l.merchant_id = p_merchant_id AND l.user_id = p_user_id AND l.role_id = p_role_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_user_id);
END
$$;

-- What is wrong with the permissions of a role: [{field, reason, permission}], or NULL.
CREATE FUNCTION identity.permission_refusals(p_permissions text[], p_own text[]) RETURNS jsonb[]
LANGUAGE sql STABLE
AS $$
  SELECT array_agg(
    identity.refusal(
      'permissions.' || (w.position - 1),
      CASE WHEN p.name IS NULL THEN 'unknown_permission' ELSE 'beyond_own' END,
      w.name
    )
    ORDER BY w.position
  )
  FROM unnest(p_permissions) WITH ORDINALITY AS w(name, position)
  LEFT JOIN merchant.permission p ON p.name = w.name
  WHERE p.name IS NULL OR w.name <> ALL (p_own)
$$;

-- {outcome: 'changed', id} | {outcome: 'invalid', refusals}
CREATE FUNCTION identity.create_role(
  p_merchant_id uuid,
  p_own text[],
  p_name text,
  p_description text,
  p_permissions text[]
) RETURNS jsonb
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
    RETURN identity.refused(VARIADIC v_refusals);
  END IF;
  INSERT INTO identity.role (merchant_id, id, name, description, permissions)
  VALUES (p_merchant_id, v_id, p_name, p_description, ARRAY(SELECT DISTINCT x FROM unnest(p_permissions) x ORDER BY x));
  RETURN jsonb_build_object('outcome', 'changed', 'id', v_id);
EXCEPTION
  WHEN unique_violation THEN
    RETURN identity.refused(identity.refusal('name', 'taken'));
END
$$;

-- Locks a role that the caller may change: one of the merchant's own making that permits nothing beyond p_own. NULL: go on.
CREATE FUNCTION identity.lock_role(p_merchant_id uuid, p_own text[], p_id uuid) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_role identity.role;
BEGIN
  SELECT * INTO v_role FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id FOR UPDATE;
  RETURN CASE
    WHEN v_role.id IS NULL THEN jsonb_build_object('outcome', 'unknown')
    WHEN v_role.built_in THEN identity.refused(identity.refusal('id', 'built_in'))
    WHEN identity.beyond(v_role.permissions, p_own) IS NOT NULL
      THEN identity.refused(identity.refusal('id', 'beyond_own', identity.beyond(v_role.permissions, p_own)))
  END;
END
$$;

-- p_changes: the columns to change, by name.
CREATE FUNCTION identity.update_role(p_merchant_id uuid, p_own text[], p_id uuid, p_changes jsonb) RETURNS jsonb
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
    RETURN identity.refused(VARIADIC v_refusals);
  END IF;
  UPDATE identity.role r
  SET
    name = v_role.name, description = v_role.description,
    permissions = ARRAY(SELECT DISTINCT x FROM unnest(v_role.permissions) x ORDER BY x)
  WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
EXCEPTION
  WHEN unique_violation THEN
    RETURN identity.refused(identity.refusal('name', 'taken'));
END
$$;

-- Deletes a role that nobody has.
CREATE FUNCTION identity.delete_role(p_merchant_id uuid, p_own text[], p_id uuid) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_role(p_merchant_id, p_own, p_id);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  -- Nobody can be given the role while it is locked.
  IF EXISTS (SELECT FROM identity.user_role l WHERE l.merchant_id = p_merchant_id AND l.role_id = p_id) THEN
    RETURN identity.refused(identity.refusal('id', 'in_use'));
  END IF;
  DELETE FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END
$$;

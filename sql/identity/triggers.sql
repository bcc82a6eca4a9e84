CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON identity.role
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION identity.add_built_in_roles()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO identity.role (merchant_id, kind, name, description, permissions)
  SELECT NEW.id, b.kind, b.name, b.description, identity.built_in_permissions(b.kind) FROM identity.built_in_role b;
  RETURN NULL;
END;
$$;

CREATE TRIGGER add_built_in_roles
AFTER INSERT ON merchant.merchant
FOR EACH ROW
EXECUTE FUNCTION identity.add_built_in_roles();

CREATE FUNCTION identity.follow_permissions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.role r
  SET permissions = identity.built_in_permissions(r.kind)
  WHERE r.built_in AND r.permissions <> identity.built_in_permissions(r.kind);
  IF TG_OP = 'DELETE' THEN
    UPDATE identity.role r
    SET permissions = ARRAY(
      SELECT x FROM unnest(r.permissions) x WHERE EXISTS (SELECT FROM merchant.permission p WHERE p.name = x)
    )
    WHERE
      EXISTS (
        SELECT FROM unnest(r.permissions) x WHERE NOT EXISTS (SELECT FROM merchant.permission p WHERE p.name = x)
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER roles_follow
AFTER INSERT OR DELETE ON merchant.permission
FOR EACH STATEMENT
EXECUTE FUNCTION identity.follow_permissions();

CREATE FUNCTION identity.check_role_permissions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (SELECT FROM unnest(NEW.permissions) x WHERE NOT EXISTS (SELECT FROM merchant.permission p WHERE p.name = x))
  THEN
    PERFORM platform.violate('identity.role', 'role_permissions_exist');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_permissions
BEFORE INSERT OR UPDATE OF permissions ON identity.role
FOR EACH ROW
EXECUTE FUNCTION identity.check_role_permissions();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON identity.user
FOR EACH ROW
WHEN (OLD.last_login_at IS NOT DISTINCT FROM NEW.last_login_at)
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER keep_an_owner
AFTER UPDATE OF status ON identity.user
FOR EACH ROW
WHEN (OLD.status = 'ACTIVE' AND NEW.status <> 'ACTIVE')
EXECUTE FUNCTION identity.keep_an_owner();

CREATE TRIGGER keep_an_owner
AFTER DELETE ON identity.user_role
FOR EACH ROW
EXECUTE FUNCTION identity.keep_an_owner();

-- Operators run the platform and have no merchant: a credential of their own (docs/authentication.md), what they see of merchants,
-- and what they do to one's plan.

CREATE SCHEMA operator;

CREATE TABLE operator.key (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  -- The leading characters, by which a key is recognised in a list.
  prefix text NOT NULL,
  -- SHA-256 of the whole key, which has 256 random bits.
  hash bytea NOT NULL UNIQUE,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Announced under a name that no merchant's id has (auth-webhook/src/access-cache.ts).
CREATE FUNCTION operator.notify_access_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('access_changed', 'operator');
  RETURN NULL;
END
$$;
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE OF hash, revoked_at ON operator.key
  FOR EACH STATEMENT EXECUTE FUNCTION operator.notify_access_changed();

-- What `npm run operator -- log` reads.
CREATE INDEX entry_operator ON audit.entry (created_at) WHERE actor_kind = 'OPERATOR';

-- A merchant's plan as operators see it.
CREATE VIEW operator.merchant_plan AS
SELECT
  m.id AS merchant_id, m.name AS merchant_name, s.plan, s.status, s.requested_plan, s.requested_at, s.next_plan,
  s.current_period_end, s.cancel_at_period_end
FROM merchant.merchant m
JOIN merchant.subscription s ON s.merchant_id = m.id;

-- Signing in: passwords, sessions with their refresh tokens, one-time codes, and tokens that are sent by mail. Nothing in here
-- is tracked by Hasura, so that no API can select a hash or a secret, whatever a role may do.
-- Rows belong to a user or to a customer, never to both.

INSERT INTO merchant.permission (name, description) VALUES
  ('customer_sessions:write', 'Sign customers up and in with their e-mail address and password'),
  ('user_sessions:write', 'Sign users in with their e-mail address and password');

CREATE TABLE identity.credential (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  -- Argon2id, as a PHC string that says its own parameters.
  password_hash text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT credential_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT credential_user_key UNIQUE (merchant_id, user_id),
  CONSTRAINT credential_customer_key UNIQUE (merchant_id, customer_id),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);

CREATE TABLE identity.session (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  -- BACKEND: by a token that the merchant's backend asked for. It has no refresh tokens.
  origin text NOT NULL DEFAULT 'SIGN_IN' CHECK (origin IN ('SIGN_IN', 'BACKEND')),
  -- Whose request opened it; NULL where the caller isn't known.
  opened_by_kind text CHECK (opened_by_kind IN ('KEY', 'USER')),
  opened_by_id uuid,
  -- What the person's client calls itself, and the network that it came from; NULL where they aren't known.
  device text CHECK (char_length(device) <= 500),
  network text CHECK (char_length(network) <= 64),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- To the minute (auth-webhook/src/credential-usage.ts).
  last_used_at timestamptz NOT NULL DEFAULT now(),
  -- When the newest refresh token ends; NULL: it has none.
  idle_until timestamptz,
  -- However often it is refreshed, it ends here.
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  revoked_reason text CHECK (revoked_reason IN ('SIGNED_OUT', 'REUSED', 'PASSWORD_CHANGED', 'REVOKED', 'BLOCKED')),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT session_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT session_opened_by CHECK ((opened_by_kind IS NULL) = (opened_by_id IS NULL)),
  CONSTRAINT session_revoked CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL)),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX session_by_user ON identity.session (merchant_id, user_id, created_at, id) WHERE user_id IS NOT NULL;
CREATE INDEX session_by_customer ON identity.session (merchant_id, customer_id, created_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX session_expires_at ON identity.session (expires_at);
CREATE TRIGGER access_changed AFTER UPDATE OF revoked_at ON identity.session
  FOR EACH ROW EXECUTE FUNCTION merchant.notify_access_changed();
-- That one is purged which has ended lets nobody in or out.
CREATE TRIGGER access_ended AFTER DELETE ON identity.session
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now()) EXECUTE FUNCTION merchant.notify_access_changed();

-- Sessions that somebody can act with: what people see of their own, and merchants of their customers'.
CREATE VIEW identity.active_session AS
SELECT
  s.merchant_id,
  s.id,
  s.user_id,
  s.customer_id,
  s.origin,
  s.opened_by_kind,
  s.opened_by_id,
  CASE s.opened_by_kind
    WHEN 'KEY' THEN (SELECT k.name FROM merchant.api_key k WHERE k.merchant_id = s.merchant_id AND k.id = s.opened_by_id)
    WHEN 'USER' THEN (SELECT u.name FROM identity.user u WHERE u.merchant_id = s.merchant_id AND u.id = s.opened_by_id)
  END AS opened_by_name,
  s.device,
  s.network,
  s.created_at,
  s.last_used_at,
  least(s.idle_until, s.expires_at) AS expires_at
FROM identity.session s
WHERE s.revoked_at IS NULL AND least(s.idle_until, s.expires_at) > now();

-- The chain of a session's refresh tokens: each is used once and replaced by the next. One that comes back was copied.
CREATE TABLE identity.refresh_token (
  merchant_id uuid NOT NULL,
  -- SHA-256 of 256 random bits.
  hash bytea NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, hash),
  FOREIGN KEY (merchant_id, session_id) REFERENCES identity.session ON DELETE CASCADE
);
CREATE INDEX refresh_token_session ON identity.refresh_token (merchant_id, session_id);

-- What somebody is sent by mail to prove that the address is theirs.
CREATE TABLE identity.one_time_token (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  purpose text NOT NULL CHECK (purpose IN ('INVITATION', 'EMAIL_VERIFICATION', 'PASSWORD_RESET')),
  user_id uuid,
  customer_id uuid,
  -- The address that it goes to: it proves nothing about one that came later.
  email citext NOT NULL,
  hash bytea NOT NULL,
  -- The token itself, sealed (auth-webhook/src/secret-box.ts), until it is mailed.
  undelivered text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT one_time_token_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT one_time_token_hash_key UNIQUE (merchant_id, hash),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX one_time_token_subject ON identity.one_time_token (merchant_id, user_id, customer_id, purpose);
CREATE INDEX one_time_token_undelivered ON identity.one_time_token (created_at) WHERE undelivered IS NOT NULL;
CREATE INDEX one_time_token_expires_at ON identity.one_time_token (expires_at);

-- New passwords that were asked for and not looked into yet: whether the address is anybody's is found out later, so that asking takes as
-- long for one that is nobody's.
CREATE TABLE identity.password_reset_request (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  subject text NOT NULL CHECK (subject IN ('USER', 'CUSTOMER')),
  email citext NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, subject, email)
);
CREATE INDEX password_reset_request_created_at ON identity.password_reset_request (created_at);

CREATE TABLE identity.totp (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- Sealed (auth-webhook/src/secret-box.ts): it must be known to compare codes, so it can't be a hash.
  secret text NOT NULL,
  -- NULL: enrolled, but no code has been shown yet.
  confirmed_at timestamptz,
  -- The time step of the last code that was taken: each code is good once.
  last_counter bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, user_id),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user ON DELETE CASCADE
);

-- For whoever has lost the authenticator; each is good once.
CREATE TABLE identity.recovery_code (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- SHA-256 of 80 random bits.
  hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, user_id, hash),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.totp ON DELETE CASCADE
);

-- Attempts to sign in since the last one that succeeded, by address, whether or not it is anybody's, and by the client that they
-- come from: its network, '' for all clients together.
CREATE TABLE identity.sign_in_attempt (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  subject text NOT NULL CHECK (subject IN ('USER', 'CUSTOMER')),
  email citext NOT NULL,
  client text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  blocked_until timestamptz,
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, subject, email, client)
);
CREATE INDEX sign_in_attempt_last_at ON identity.sign_in_attempt (last_at);

-- Where somebody has signed in from: what others guess elsewhere doesn't keep them out there.
CREATE TABLE identity.known_client (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  client text NOT NULL CHECK (client <> ''),
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT known_client_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT known_client_key UNIQUE NULLS NOT DISTINCT (merchant_id, user_id, customer_id, client),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX known_client_last_at ON identity.known_client (last_at);

CREATE FUNCTION identity.is_known_client(p_merchant_id uuid, p_subject text, p_email text, p_client text) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (
    SELECT FROM identity.known_client k
    LEFT JOIN identity.user u ON u.merchant_id = k.merchant_id AND u.id = k.user_id
    LEFT JOIN crm.customer x ON x.merchant_id = k.merchant_id AND x.id = k.customer_id
    WHERE k.merchant_id = p_merchant_id AND k.client = p_client
      AND CASE p_subject WHEN 'USER' THEN u.email ELSE x.email END = p_email::citext
  )
$$;

-- Remembers where somebody has signed in from, the twenty last clients of each. p_client NULL: it isn't known.
CREATE FUNCTION identity.remember_client(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_client text) RETURNS void
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
  WHERE (k.merchant_id, k.id) IN (
    SELECT x.merchant_id, x.id FROM identity.known_client x
    WHERE x.merchant_id = p_merchant_id AND (x.user_id = p_user_id OR x.customer_id = p_customer_id)
    ORDER BY x.last_at DESC OFFSET 20
  );
END
$$;

-- How many attempts are free, and for how long each of the others blocks at first; each blocks twice as long as the one before.
CREATE TYPE identity.attempt_limit AS (free integer, block interval);

-- Counts an attempt before anything is compared, so that guesses sent at once count as many. It counts for its client (p_of_client), and
-- over all clients (p_of_all) unless it comes from where somebody has signed in before: others' guesses don't keep that one out.
-- p_client NULL: not known, one client for all of them. p_longest: no block is longer.
-- Seconds to wait, or NULL: go on. What has to wait counts for nothing.
CREATE FUNCTION identity.count_attempt(
  p_merchant_id uuid,
  p_subject text,
  p_email text,
  p_client text,
  p_of_client identity.attempt_limit,
  p_of_all identity.attempt_limit,
  p_longest interval
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_client text := coalesce(p_client, 'unknown');
  v_counted text[] := CASE
    WHEN p_client IS NOT NULL AND identity.is_known_client(p_merchant_id, p_subject, p_email, p_client) THEN ARRAY[v_client]
    ELSE ARRAY['', v_client]
  END;
  v_until timestamptz;
BEGIN
  INSERT INTO identity.sign_in_attempt (merchant_id, subject, email, client)
  SELECT p_merchant_id, p_subject, p_email, x FROM unnest(v_counted) x ORDER BY x
  ON CONFLICT DO NOTHING;
  PERFORM FROM identity.sign_in_attempt a
  WHERE a.merchant_id = p_merchant_id AND a.subject = p_subject AND a.email = p_email::citext AND a.client = ANY (v_counted)
  ORDER BY a.client FOR UPDATE;
  SELECT max(a.blocked_until) INTO v_until FROM identity.sign_in_attempt a
  WHERE a.merchant_id = p_merchant_id AND a.subject = p_subject AND a.email = p_email::citext AND a.client = ANY (v_counted);
  IF v_until > now() THEN
    RETURN ceil(extract(epoch FROM v_until - now()));
  END IF;
  UPDATE identity.sign_in_attempt a
  SET
    attempts = a.attempts + 1,
    last_at = now(),
    blocked_until = CASE
      WHEN a.attempts + 1 >= l.free THEN now() + least(p_longest, l.block * power(2, least(a.attempts + 1 - l.free, 20)))
    END
  FROM (VALUES (v_client, (p_of_client).free, (p_of_client).block), ('', (p_of_all).free, (p_of_all).block)) AS l (client, free, block)
  WHERE a.merchant_id = p_merchant_id AND a.subject = p_subject AND a.email = p_email::citext
    AND a.client = ANY (v_counted) AND a.client = l.client;
  RETURN NULL;
END
$$;

-- What there is to compare a password with: {outcome: 'blocked', seconds} | {outcome: 'unknown'} |
-- {outcome: 'known', id, passwordHash, totpSecret}. Who may not sign in is as unknown as who isn't there.
CREATE FUNCTION identity.begin_sign_in(
  p_merchant_id uuid,
  p_subject text,
  p_email text,
  p_client text,
  p_of_client identity.attempt_limit,
  p_of_all identity.attempt_limit,
  p_longest interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_seconds integer := identity.count_attempt(p_merchant_id, p_subject, p_email, p_client, p_of_client, p_of_all, p_longest);
  v_known jsonb;
BEGIN
  IF v_seconds IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'blocked', 'seconds', v_seconds);
  END IF;
  IF p_subject = 'USER' THEN
    SELECT jsonb_build_object('outcome', 'known', 'id', u.id, 'passwordHash', c.password_hash, 'totpSecret', t.secret)
    INTO v_known
    FROM identity.user u
    JOIN identity.credential c ON c.merchant_id = u.merchant_id AND c.user_id = u.id
    LEFT JOIN identity.totp t ON t.merchant_id = u.merchant_id AND t.user_id = u.id AND t.confirmed_at IS NOT NULL
    WHERE u.merchant_id = p_merchant_id AND u.email = p_email::citext AND u.status = 'ACTIVE';
  ELSE
    SELECT jsonb_build_object('outcome', 'known', 'id', x.id, 'passwordHash', c.password_hash, 'totpSecret', NULL)
    INTO v_known
    FROM crm.customer x
    JOIN identity.credential c ON c.merchant_id = x.merchant_id AND c.customer_id = x.id
    WHERE x.merchant_id = p_merchant_id AND x.email = p_email::citext AND x.blocked_at IS NULL;
  END IF;
  RETURN coalesce(v_known, jsonb_build_object('outcome', 'unknown'));
END
$$;

-- Opens a session for whoever has shown to be p_id. NULL: who may not sign in any more.
-- p_opened_by: {kind, id} of whose request it is.
CREATE FUNCTION identity.open_session(
  p_merchant_id uuid,
  p_subject text,
  p_id uuid,
  p_client text,
  p_device text,
  p_opened_by jsonb,
  p_refresh_hash bytea,
  p_refresh_lifetime interval,
  p_session_lifetime interval
) RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_session_id uuid := platform.uuid_v7();
  v_email citext;
BEGIN
  IF p_subject = 'USER' THEN
    UPDATE identity.user u SET last_login_at = now()
    WHERE u.merchant_id = p_merchant_id AND u.id = p_id AND u.status = 'ACTIVE'
    RETURNING u.email INTO v_email;
  ELSE
    -- The lock keeps a block from coming between looking and opening.
    SELECT x.email INTO v_email FROM crm.customer x
    WHERE x.merchant_id = p_merchant_id AND x.id = p_id AND x.blocked_at IS NULL FOR SHARE;
  END IF;
  IF v_email IS NULL THEN
    RETURN NULL;
  END IF;
  -- What other clients have tried stays counted.
  DELETE FROM identity.sign_in_attempt a
  WHERE a.merchant_id = p_merchant_id AND a.subject = p_subject AND a.email = v_email
    AND a.client IN ('', coalesce(p_client, 'unknown'));
  PERFORM identity.remember_client(
    p_merchant_id, CASE WHEN p_subject = 'USER' THEN p_id END, CASE WHEN p_subject = 'CUSTOMER' THEN p_id END, p_client
  );
  INSERT INTO identity.session
    (merchant_id, id, user_id, customer_id, opened_by_kind, opened_by_id, device, network, idle_until, expires_at)
  VALUES (
    p_merchant_id, v_session_id,
    CASE WHEN p_subject = 'USER' THEN p_id END,
    CASE WHEN p_subject = 'CUSTOMER' THEN p_id END,
    p_opened_by ->> 'kind', (p_opened_by ->> 'id')::uuid, p_device, p_client,
    now() + least(p_refresh_lifetime, p_session_lifetime), now() + p_session_lifetime
  );
  INSERT INTO identity.refresh_token (merchant_id, hash, session_id, expires_at)
  VALUES (p_merchant_id, p_refresh_hash, v_session_id, now() + least(p_refresh_lifetime, p_session_lifetime));
  RETURN v_session_id;
END
$$;

-- Opens a session for a customer whom the merchant's backend speaks for: as long as its one access token.
-- {outcome: 'opened', id} | {outcome: 'unknown_customer' | 'anonymized' | 'blocked'}
CREATE FUNCTION identity.open_backend_session(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_client text,
  p_device text,
  p_opened_by jsonb,
  p_lifetime interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_session_id uuid := platform.uuid_v7();
  v_customer crm.customer;
BEGIN
  SELECT * INTO v_customer FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id FOR SHARE;
  IF v_customer.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  ELSIF v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'anonymized');
  ELSIF v_customer.blocked_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'blocked');
  END IF;
  INSERT INTO identity.session
    (merchant_id, id, customer_id, origin, opened_by_kind, opened_by_id, device, network, expires_at)
  VALUES (
    p_merchant_id, v_session_id, p_customer_id, 'BACKEND', p_opened_by ->> 'kind', (p_opened_by ->> 'id')::uuid, p_device,
    p_client, now() + p_lifetime
  );
  RETURN jsonb_build_object('outcome', 'opened', 'id', v_session_id);
END
$$;

CREATE FUNCTION identity.revoke_session(p_merchant_id uuid, p_session_id uuid, p_reason text) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE identity.session s SET revoked_at = now(), revoked_reason = p_reason
  WHERE s.merchant_id = p_merchant_id AND s.id = p_session_id AND s.revoked_at IS NULL
$$;

-- Ends every session of a user or a customer. Returns how many.
CREATE FUNCTION identity.revoke_sessions(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_reason text) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH revoked AS (
    UPDATE identity.session s SET revoked_at = now(), revoked_reason = p_reason
    WHERE s.merchant_id = p_merchant_id AND (s.user_id = p_user_id OR s.customer_id = p_customer_id) AND s.revoked_at IS NULL
    RETURNING 1
  )
  SELECT count(*)::integer FROM revoked
$$;

-- Replaces a refresh token by the next one. One that was used before is in two hands: whichever is the thief's, the session
-- ends for both. p_lifetimes: of the next token, by subject.
-- {outcome: 'rotated', sessionId, subject, id} | {outcome: 'refused'}
CREATE FUNCTION identity.rotate_refresh_token(
  p_merchant_id uuid,
  p_hash bytea,
  p_next_hash bytea,
  p_user_lifetime interval,
  p_customer_lifetime interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.refresh_token;
  v_session identity.session;
  v_idle_until timestamptz;
BEGIN
  SELECT * INTO v_token FROM identity.refresh_token t WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash FOR UPDATE;
  IF v_token.hash IS NULL THEN
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  SELECT * INTO v_session FROM identity.session s
  WHERE s.merchant_id = p_merchant_id AND s.id = v_token.session_id FOR UPDATE;
  IF v_token.used_at IS NOT NULL THEN
    PERFORM identity.revoke_session(p_merchant_id, v_session.id, 'REUSED');
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  IF v_session.revoked_at IS NOT NULL OR least(v_session.expires_at, v_token.expires_at) <= now()
    OR EXISTS (
      SELECT FROM identity.user u
      WHERE u.merchant_id = p_merchant_id AND u.id = v_session.user_id AND u.status <> 'ACTIVE'
    )
    OR EXISTS (
      SELECT FROM crm.customer x
      WHERE x.merchant_id = p_merchant_id AND x.id = v_session.customer_id AND x.blocked_at IS NOT NULL
    )
  THEN
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  v_idle_until := least(
    v_session.expires_at, now() + CASE WHEN v_session.user_id IS NULL THEN p_customer_lifetime ELSE p_user_lifetime END
  );
  UPDATE identity.refresh_token t SET used_at = now() WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash;
  INSERT INTO identity.refresh_token (merchant_id, hash, session_id, expires_at)
  VALUES (p_merchant_id, p_next_hash, v_session.id, v_idle_until);
  UPDATE identity.session s SET idle_until = v_idle_until, last_used_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.id = v_session.id;
  RETURN jsonb_build_object(
    'outcome', 'rotated',
    'sessionId', v_session.id,
    'subject', CASE WHEN v_session.user_id IS NULL THEN 'CUSTOMER' ELSE 'USER' END,
    'id', coalesce(v_session.user_id, v_session.customer_id)
  );
END
$$;

-- Ends the session that a refresh token belongs to, or every session of the same person. An unknown token ends none.
CREATE FUNCTION identity.sign_out(p_merchant_id uuid, p_hash bytea, p_everywhere boolean) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_session identity.session;
BEGIN
  SELECT s.* INTO v_session
  FROM identity.refresh_token t
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
END
$$;

-- Ends one session: the person's own, or, p_of_customers, any of the merchant's customers'. Whether it is one of these; one that has
-- ended stays as it is.
CREATE FUNCTION identity.end_session(
  p_merchant_id uuid,
  p_session_id uuid,
  p_user_id uuid,
  p_customer_id uuid,
  p_of_customers boolean
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM identity.session s
  WHERE s.merchant_id = p_merchant_id AND s.id = p_session_id
    AND (s.user_id = p_user_id OR s.customer_id = p_customer_id OR (p_of_customers AND s.customer_id IS NOT NULL));
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM identity.revoke_session(p_merchant_id, p_session_id, 'REVOKED');
  RETURN true;
END
$$;

-- Keeps a customer from acting: every session ends, what was mailed is good for nothing, and no order is placed. Carts and orders
-- stay. One who is blocked already gets the new reason. {outcome: 'changed' | 'unknown_customer' | 'anonymized'}
CREATE FUNCTION identity.block_customer(p_merchant_id uuid, p_customer_id uuid, p_reason text) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer crm.customer;
BEGIN
  SELECT * INTO v_customer FROM crm.customer x
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id FOR NO KEY UPDATE;
  IF v_customer.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  ELSIF v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'anonymized');
  END IF;
  UPDATE crm.customer x SET blocked_at = coalesce(x.blocked_at, now()), blocked_reason = p_reason
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id;
  PERFORM identity.revoke_sessions(p_merchant_id, NULL, p_customer_id, 'BLOCKED');
  DELETE FROM identity.one_time_token t WHERE t.merchant_id = p_merchant_id AND t.customer_id = p_customer_id;
  RETURN jsonb_build_object('outcome', 'changed');
END
$$;

-- Lets a blocked customer act again; sessions that have ended stay so. {outcome: 'changed' | 'unknown_customer'}
CREATE FUNCTION identity.unblock_customer(p_merchant_id uuid, p_customer_id uuid) RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  UPDATE crm.customer x SET blocked_at = NULL, blocked_reason = NULL
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND x.blocked_at IS NOT NULL;
  RETURN jsonb_build_object('outcome', 'changed');
END
$$;

-- A new customer with a password. {outcome: 'registered', id} | {outcome: 'taken'}
CREATE FUNCTION identity.register_customer(
  p_merchant_id uuid,
  p_email text,
  p_name text,
  p_phone text,
  p_marketing_opt_in boolean,
  p_password_hash text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
BEGIN
  INSERT INTO crm.customer (merchant_id, email, name, phone, marketing_opt_in)
  VALUES (p_merchant_id, p_email, p_name, p_phone, p_marketing_opt_in)
  RETURNING id INTO v_id;
  INSERT INTO identity.credential (merchant_id, customer_id, password_hash) VALUES (p_merchant_id, v_id, p_password_hash);
  RETURN jsonb_build_object('outcome', 'registered', 'id', v_id);
EXCEPTION
  WHEN unique_violation THEN
    RETURN jsonb_build_object('outcome', 'taken');
END
$$;

-- Sets a password, ends every session that was opened with the one before, and forgets failed attempts.
CREATE FUNCTION identity.set_password(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_password_hash text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_user_id IS NOT NULL THEN
    INSERT INTO identity.credential AS c (merchant_id, user_id, password_hash) VALUES (p_merchant_id, p_user_id, p_password_hash)
    ON CONFLICT (merchant_id, user_id) DO UPDATE SET password_hash = excluded.password_hash, changed_at = now();
  ELSE
    INSERT INTO identity.credential AS c (merchant_id, customer_id, password_hash)
    VALUES (p_merchant_id, p_customer_id, p_password_hash)
    ON CONFLICT (merchant_id, customer_id) DO UPDATE SET password_hash = excluded.password_hash, changed_at = now();
  END IF;
  PERFORM identity.revoke_sessions(p_merchant_id, p_user_id, p_customer_id, 'PASSWORD_CHANGED');
  DELETE FROM identity.sign_in_attempt a
  WHERE a.merchant_id = p_merchant_id AND (
    (a.subject = 'USER' AND a.email = (SELECT u.email FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id))
    OR (
      a.subject = 'CUSTOMER'
      AND a.email = (SELECT x.email FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id)
    )
  );
END
$$;

-- Writes down a token for somebody to be mailed, in the place of an earlier one for the same purpose. Within p_pause of the
-- earlier one none is made: nobody's inbox is filled by a stranger. Nor is one for a blocked customer. Returns whether one was made.
CREATE FUNCTION identity.issue_one_time_token(
  p_merchant_id uuid,
  p_purpose text,
  p_user_id uuid,
  p_customer_id uuid,
  p_token text,
  p_hash bytea,
  p_lifetime interval,
  p_pause interval
) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_email citext;
BEGIN
  -- The lock lets one of several requests at once make the token.
  IF p_user_id IS NOT NULL THEN
    SELECT u.email INTO v_email FROM identity.user u
    WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id FOR NO KEY UPDATE;
  ELSE
    SELECT x.email INTO v_email FROM crm.customer x
    WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND x.blocked_at IS NULL FOR NO KEY UPDATE;
  END IF;
  IF v_email IS NULL OR EXISTS (
    SELECT FROM identity.one_time_token t
    WHERE t.merchant_id = p_merchant_id AND t.purpose = p_purpose AND t.created_at > now() - p_pause
      AND (t.user_id = p_user_id OR t.customer_id = p_customer_id) AND t.used_at IS NULL AND t.email = v_email
  ) THEN
    RETURN false;
  END IF;
  DELETE FROM identity.one_time_token t
  WHERE t.merchant_id = p_merchant_id AND t.purpose = p_purpose AND (t.user_id = p_user_id OR t.customer_id = p_customer_id);
  INSERT INTO identity.one_time_token (merchant_id, purpose, user_id, customer_id, email, hash, undelivered, expires_at)
  VALUES (p_merchant_id, p_purpose, p_user_id, p_customer_id, v_email, p_hash, p_token, now() + p_lifetime);
  RETURN true;
END
$$;

-- Uses a token up, if it is good for one of the purposes and its address is still the person's. NULL: it isn't.
CREATE FUNCTION identity.use_one_time_token(p_merchant_id uuid, p_hash bytea, p_purposes text[]) RETURNS identity.one_time_token
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token;
BEGIN
  UPDATE identity.one_time_token t SET used_at = now(), undelivered = NULL
  WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash AND t.purpose = ANY (p_purposes)
    AND t.used_at IS NULL AND t.expires_at > now()
    AND t.email = coalesce(
      (SELECT u.email FROM identity.user u WHERE u.merchant_id = t.merchant_id AND u.id = t.user_id AND u.status <> 'DELETED'),
      (SELECT x.email FROM crm.customer x WHERE x.merchant_id = t.merchant_id AND x.id = t.customer_id)
    )
  RETURNING t.* INTO v_token;
  RETURN v_token;
END
$$;

-- The bearer has read the person's mail.
CREATE FUNCTION identity.mark_email_verified(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.user u SET email_verified = true
  WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND NOT u.email_verified;
  UPDATE crm.customer x SET email_verified = true
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND NOT x.email_verified;
END
$$;

CREATE FUNCTION identity.verify_email(p_merchant_id uuid, p_hash bytea) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token := identity.use_one_time_token(p_merchant_id, p_hash, '{EMAIL_VERIFICATION}');
BEGIN
  PERFORM identity.mark_email_verified(p_merchant_id, v_token.user_id, v_token.customer_id);
  RETURN v_token.id IS NOT NULL;
END
$$;

-- Sets a password by a mailed token. Who was invited has joined with it (p_join_from, p_join_to: the state machine's).
CREATE FUNCTION identity.reset_password(
  p_merchant_id uuid,
  p_hash bytea,
  p_password_hash text,
  p_join_from text[],
  p_join_to text
) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token := identity.use_one_time_token(p_merchant_id, p_hash, '{INVITATION,PASSWORD_RESET}');
BEGIN
  IF v_token.id IS NULL THEN
    RETURN false;
  END IF;
  PERFORM identity.mark_email_verified(p_merchant_id, v_token.user_id, v_token.customer_id);
  UPDATE identity.user u SET status = p_join_to
  WHERE u.merchant_id = p_merchant_id AND u.id = v_token.user_id AND u.status = ANY (p_join_from)
    AND v_token.purpose = 'INVITATION';
  PERFORM identity.set_password(p_merchant_id, v_token.user_id, v_token.customer_id, p_password_hash);
  RETURN true;
END
$$;

-- Begins to enrol an authenticator, unless one is confirmed already. Returns whether it did.
CREATE FUNCTION identity.enroll_totp(p_merchant_id uuid, p_user_id uuid, p_secret text) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO identity.totp AS t (merchant_id, user_id, secret) VALUES (p_merchant_id, p_user_id, p_secret)
  ON CONFLICT (merchant_id, user_id) DO UPDATE SET secret = excluded.secret, created_at = now(), last_counter = 0
    WHERE t.confirmed_at IS NULL;
  RETURN FOUND;
END
$$;

-- The first code has been shown: from now on signing in takes one. p_recovery_hashes: of the codes that the user writes
-- down, in hexadecimal.
CREATE FUNCTION identity.confirm_totp(p_merchant_id uuid, p_user_id uuid, p_counter bigint, p_recovery_hashes text[]) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.totp t SET confirmed_at = now(), last_counter = p_counter
  WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id AND t.confirmed_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM identity.recovery_code c WHERE c.merchant_id = p_merchant_id AND c.user_id = p_user_id;
  INSERT INTO identity.recovery_code (merchant_id, user_id, hash)
  SELECT p_merchant_id, p_user_id, decode(x, 'hex') FROM unnest(p_recovery_hashes) x;
  UPDATE identity.user u SET mfa_enabled = true WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id;
  RETURN true;
END
$$;

-- A code is good once: of two requests with the same one, one gets true.
CREATE FUNCTION identity.use_totp(p_merchant_id uuid, p_user_id uuid, p_counter bigint) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.totp t SET last_counter = p_counter
  WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id AND t.last_counter < p_counter;
  RETURN FOUND;
END
$$;

CREATE FUNCTION identity.use_recovery_code(p_merchant_id uuid, p_user_id uuid, p_hash bytea) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.recovery_code c SET used_at = now()
  WHERE c.merchant_id = p_merchant_id AND c.user_id = p_user_id AND c.hash = p_hash AND c.used_at IS NULL;
  RETURN FOUND;
END
$$;

-- Signing in takes a password alone again.
CREATE FUNCTION identity.remove_totp(p_merchant_id uuid, p_user_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM identity.totp t WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id;
  DELETE FROM identity.sign_in_attempt a
  WHERE a.merchant_id = p_merchant_id AND a.subject = 'USER'
    AND a.email = (SELECT u.email FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id);
  UPDATE identity.user u SET mfa_enabled = false WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND u.mfa_enabled;
END
$$;

-- Takes a user's authenticator away, for one who has lost it. What lock_user answers, or {outcome: 'changed', id}.
CREATE FUNCTION identity.reset_totp(p_merchant_id uuid, p_own text[], p_id uuid) RETURNS jsonb
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
END
$$;

-- Deletes what has no use any more. Returns how many rows; fewer than p_limit means that it is done.
CREATE FUNCTION identity.purge_expired(p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_purged integer := 0;
  v_count integer;
BEGIN
  DELETE FROM identity.session s WHERE (s.merchant_id, s.id) IN (
    SELECT x.merchant_id, x.id FROM identity.session x
    -- Refresh tokens that come back late are told from unknown ones for a day; a backend's session has none.
    WHERE x.expires_at < now() AND (x.origin = 'BACKEND' OR x.expires_at < now() - interval '1 day')
    LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_purged := v_purged + v_count;
  DELETE FROM identity.one_time_token t WHERE (t.merchant_id, t.id) IN (
    SELECT x.merchant_id, x.id FROM identity.one_time_token x
    WHERE x.expires_at < now() - interval '1 day' LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_purged := v_purged + v_count;
  DELETE FROM identity.sign_in_attempt a WHERE (a.merchant_id, a.subject, a.email, a.client) IN (
    SELECT x.merchant_id, x.subject, x.email, x.client FROM identity.sign_in_attempt x
    WHERE x.last_at < now() - interval '1 day' LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_purged := v_purged + v_count;
  DELETE FROM identity.known_client k WHERE (k.merchant_id, k.id) IN (
    SELECT x.merchant_id, x.id FROM identity.known_client x
    WHERE x.last_at < now() - interval '90 days' LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_purged + v_count;
END
$$;

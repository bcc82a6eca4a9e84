CREATE SCHEMA identity;

CREATE TABLE identity.signing_key (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  algorithm text NOT NULL,
  -- Sealed (auth-webhook/src/secret-box.ts): who can read the table can't sign.
  private_jwk text NOT NULL,
  public_jwk jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz
);

CREATE TABLE identity.built_in_role (
  kind text PRIMARY KEY CHECK (kind IN ('OWNER', 'ADMIN', 'MANAGER', 'SUPPORT', 'READ_ONLY')),
  name text NOT NULL,
  description text NOT NULL
);

CREATE TABLE identity.role (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
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

CREATE TABLE identity.user (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  email citext NOT NULL CHECK (email <> ''),
  name text NOT NULL CHECK (name <> ''),
  phone text,
  email_verified boolean NOT NULL DEFAULT FALSE,
  mfa_enabled boolean NOT NULL DEFAULT FALSE,
  last_login_at timestamptz,
  status text NOT NULL DEFAULT 'INACTIVE' CHECK (status IN ('ACTIVE', 'INACTIVE', 'SUSPENDED', 'DELETED')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);
CREATE UNIQUE INDEX user_email_key ON identity.user (merchant_id, email) WHERE status <> 'DELETED';
CREATE INDEX user_created_at ON identity.user (merchant_id, created_at, id);

CREATE TABLE identity.user_role (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, user_id, role_id),
  CONSTRAINT user_role_user_fkey
    FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
      ON DELETE CASCADE,
  CONSTRAINT user_role_role_fkey
    FOREIGN KEY (merchant_id, role_id) REFERENCES identity.role
      ON DELETE CASCADE
);
CREATE INDEX user_role_role ON identity.user_role (merchant_id, role_id);

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
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);

CREATE TABLE identity.session (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  -- BACKEND: by a token that the merchant's backend asked for. It has no refresh tokens.
  origin text NOT NULL DEFAULT 'SIGN_IN' CHECK (origin IN ('SIGN_IN', 'BACKEND')),
  -- The caller whose request opened it; NULL if unknown.
  opened_by_kind text CHECK (opened_by_kind IN ('KEY', 'USER')),
  opened_by_id uuid,
  -- The client's name for itself, and the network of its address; NULL if unknown.
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
  ends_at timestamptz NOT NULL GENERATED ALWAYS AS (least(expires_at, idle_until, revoked_at)) STORED,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT session_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT session_opened_by CHECK ((opened_by_kind IS NULL) = (opened_by_id IS NULL)),
  CONSTRAINT session_revoked CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL)),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);
CREATE INDEX session_by_user ON identity.session (merchant_id, user_id, created_at, id) WHERE user_id IS NOT NULL;
CREATE INDEX session_by_customer ON identity.session (merchant_id, customer_id, created_at, id)
WHERE customer_id IS NOT NULL;
CREATE INDEX session_network ON identity.session (merchant_id, network) WHERE customer_id IS NOT NULL;
CREATE INDEX session_ends_at ON identity.session (ends_at);

CREATE TABLE identity.refresh_token (
  merchant_id uuid NOT NULL,
  -- SHA-256 of 256 random bits.
  hash bytea NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, hash),
  FOREIGN KEY (merchant_id, session_id) REFERENCES identity.session
    ON DELETE CASCADE
);
CREATE INDEX refresh_token_session ON identity.refresh_token (merchant_id, session_id);

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
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);
CREATE INDEX one_time_token_subject ON identity.one_time_token (merchant_id, user_id, customer_id, purpose);
CREATE INDEX one_time_token_undelivered ON identity.one_time_token (created_at) WHERE undelivered IS NOT NULL;
CREATE INDEX one_time_token_expires_at ON identity.one_time_token (expires_at);

CREATE TABLE identity.password_reset_request (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
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
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE
);

CREATE TABLE identity.recovery_code (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- SHA-256 of 80 random bits.
  hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, user_id, hash),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.totp
    ON DELETE CASCADE
);

CREATE TABLE identity.sign_in_attempt (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  subject text NOT NULL CHECK (subject IN ('USER', 'CUSTOMER')),
  email citext NOT NULL,
  client text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  blocked_until timestamptz,
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, subject, email, client)
);
CREATE INDEX sign_in_attempt_last_at ON identity.sign_in_attempt (last_at);

-- Guests who may have left nothing. One who has bought is not looked at again.
CREATE TABLE identity.guest_check (
  merchant_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now() + INTERVAL '31 days',
  PRIMARY KEY (merchant_id, customer_id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);
CREATE INDEX guest_check_due_at ON identity.guest_check (due_at);

CREATE TABLE identity.known_client (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  client text NOT NULL CHECK (client <> ''),
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT known_client_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  /* sql-parser-cst-disable */
  CONSTRAINT known_client_key UNIQUE NULLS NOT DISTINCT (merchant_id, user_id, customer_id, client),
  /* sql-parser-cst-enable */
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);
CREATE INDEX known_client_last_at ON identity.known_client (last_at);
CREATE INDEX user_updated_at ON identity.user (merchant_id, updated_at, id);
CREATE INDEX role_updated_at ON identity.role (merchant_id, updated_at, id);

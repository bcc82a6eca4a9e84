-- What every domain stands on: extensions, time-ordered ids and the updated_at trigger.

CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS citext;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE SCHEMA platform;

-- Time-ordered ids (RFC 9562, version 7), so that new rows land at the right edge of every index.
-- PostgreSQL 18 has uuidv7() built in; this one also runs on 15 to 17.
CREATE FUNCTION platform.uuid_v7() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$
  SELECT encode(
    set_bit(
      set_bit(
        overlay(
          uuid_send(gen_random_uuid())
          PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
          FROM 1 FOR 6
        ),
        52, 1
      ),
      53, 1
    ),
    'hex'
  )::uuid
$$;

-- The largest amount of money, in minor units: the largest whole number that every JSON reader can tell from its neighbours.
CREATE FUNCTION platform.most_money() RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT 9007199254740991::numeric
$$;

-- A sum as money. Where nothing was refused that made it too large (a price went up after a cart was filled), it is told as the largest
-- amount there is; nothing can be ordered for it.
CREATE FUNCTION platform.as_money(p_sum numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT least(p_sum, platform.most_money())::bigint
$$;

-- Refuses a change as a check constraint would, for a rule that no constraint can say. p_because: in the message, which is all that Hasura
-- passes on; NULL for Postgres' own words.
CREATE FUNCTION platform.violate(p_table text, p_constraint text, p_because text DEFAULT NULL, p_detail text DEFAULT '') RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_schema text := split_part(p_table, '.', 1);
  v_table text := split_part(p_table, '.', 2);
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = p_constraint, SCHEMA = v_schema, TABLE = v_table, DETAIL = p_detail,
    MESSAGE = coalesce(
      p_because || format(': constraint "%s"', p_constraint),
      format('new row for relation "%s" violates check constraint "%s"', v_table, p_constraint)
    );
END
$$;

CREATE FUNCTION platform.touch_updated_at() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.updated_at := clock_timestamp();
  RETURN NEW;
END
$$;

-- 'Été à Paris!' -> 'ete-a-paris'. A name without a single letter or digit gives ''.
CREATE FUNCTION platform.slugify(name text) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT trim(BOTH '-' FROM left(trim(BOTH '-' FROM regexp_replace(lower(public.unaccent(name)), '[^a-z0-9]+', '-', 'g')), 80))
$$;

-- Gives a row without a slug one made of its name. Taken slugs get the id's random tail. Two transactions that
-- make the same slug at once can't see each other's row: whoever doesn't get the advisory lock takes the tail
-- too, so neither waits and neither fails.
CREATE FUNCTION platform.fill_slug() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  base text;
  taken boolean;
BEGIN
  IF NEW.slug IS NOT NULL THEN
    RETURN NEW;
  END IF;
  base := platform.slugify(NEW.name);
  EXECUTE format('SELECT EXISTS (SELECT FROM %I.%I WHERE merchant_id = $1 AND slug = $2)', TG_TABLE_SCHEMA, TG_TABLE_NAME)
    INTO taken USING NEW.merchant_id, base;
  IF base = '' OR taken
    OR NOT pg_try_advisory_xact_lock(hashtextextended(TG_TABLE_NAME || NEW.merchant_id || base, 0))
  THEN
    base := trim(LEADING '-' FROM base || '-' || right(NEW.id::text, 12));
  END IF;
  NEW.slug := base;
  RETURN NEW;
END
$$;

-- What came of a mutation that was sent with an Idempotency-Key, so that a retry has the same answer.
CREATE TABLE platform.idempotency_record (
  -- The nil id: an operator's.
  merchant_id uuid NOT NULL,
  -- Whose key it is, since clients choose keys for themselves: 'merchant' (all its API keys and users), 'customer:<id>' or 'operator'.
  caller text NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  -- Which of several mutations of a document it is about, and of several items of a list; '' where there is one.
  part text NOT NULL DEFAULT '' CHECK (char_length(part) <= 300),
  operation text NOT NULL,
  -- A digest of the arguments: the same key with others is a conflict.
  fingerprint text NOT NULL,
  -- Of an action, its outcome. NULL for rows, whose records are read anew, and for what is sealed.
  response jsonb,
  -- An outcome that holds secrets, sealed with the services' encryption key. It is forgotten before the key is.
  sealed text,
  sealed_until timestamptz,
  -- Ids in the arguments and the outcome; of rows first of all the ids of the records that were written.
  record_ids uuid[] NOT NULL DEFAULT '{}',
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
  PRIMARY KEY (merchant_id, caller, key, part),
  CHECK ((sealed IS NULL) OR (sealed_until IS NOT NULL AND response IS NULL))
);
CREATE INDEX idempotency_record_expires_at ON platform.idempotency_record (expires_at);
CREATE INDEX idempotency_record_sealed_until ON platform.idempotency_record (sealed_until) WHERE sealed IS NOT NULL;

-- What the migrations said when they were applied, by which a database that another version made is known.
CREATE TABLE platform.applied_migration (
  name text PRIMARY KEY,
  content_hash text NOT NULL
);

-- When each maintenance job last came to its end, by whichever process, and why it last failed. For those who watch the platform.
CREATE TABLE platform.job_run (
  job text PRIMARY KEY,
  -- Milliseconds from one run to the next.
  every integer NOT NULL,
  -- When a process last began to run it.
  since timestamptz NOT NULL DEFAULT now(),
  succeeded_at timestamptz,
  failed_at timestamptz,
  failure text
);

-- The languages that a shop can be in, by ISO 639-1, with the name that Postgres has for the algorithm that takes a word's inflection
-- off (Snowball): it stands for the text search configuration, and with _stem for the dictionary.
CREATE TABLE platform.language (
  code text PRIMARY KEY CHECK (code ~ '^[a-z]{2}$'),
  name text NOT NULL,
  stemmer text NOT NULL
);
INSERT INTO platform.language (code, name, stemmer) VALUES
  ('ar', 'Arabic', 'arabic'), ('ca', 'Catalan', 'catalan'), ('da', 'Danish', 'danish'), ('de', 'German', 'german'),
  ('el', 'Greek', 'greek'), ('en', 'English', 'english'), ('es', 'Spanish', 'spanish'), ('eu', 'Basque', 'basque'),
  ('fi', 'Finnish', 'finnish'), ('fr', 'French', 'french'), ('ga', 'Irish', 'irish'), ('hi', 'Hindi', 'hindi'),
  ('hu', 'Hungarian', 'hungarian'), ('hy', 'Armenian', 'armenian'), ('id', 'Indonesian', 'indonesian'), ('it', 'Italian', 'italian'),
  ('lt', 'Lithuanian', 'lithuanian'), ('ne', 'Nepali', 'nepali'), ('nl', 'Dutch', 'dutch'), ('no', 'Norwegian', 'norwegian'),
  ('pt', 'Portuguese', 'portuguese'), ('ro', 'Romanian', 'romanian'), ('ru', 'Russian', 'russian'), ('sr', 'Serbian', 'serbian'),
  ('sv', 'Swedish', 'swedish'), ('ta', 'Tamil', 'tamil'), ('tr', 'Turkish', 'turkish'), ('yi', 'Yiddish', 'yiddish');

-- Segments: customers that a saved filter describes. The filter is data, a column for each question that can be asked, and
-- who is in a segment is worked out when somebody asks: it can't be stale.

CREATE TABLE crm.segment (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  -- The filter. NULL asks nothing, and everything that is asked must hold. What was spent and ordered is as crm.customer_total
  -- counts it: orders that were paid, less what was given back.
  total_spent_min bigint CHECK (total_spent_min >= 0),
  total_spent_max bigint CHECK (total_spent_max >= 0),
  order_count_min integer CHECK (order_count_min >= 0),
  order_count_max integer CHECK (order_count_max >= 0),
  last_order_after timestamptz,
  last_order_before timestamptz,
  -- Counted back from the moment of asking. Who never ordered has no order for any number of days.
  last_order_within_days integer CHECK (last_order_within_days > 0),
  no_order_for_days integer CHECK (no_order_for_days > 0),
  -- All of these tags; an address in any of these cities (in any case) and countries (ISO 3166-1 alpha-2). An empty list
  -- could be read as a segment of all customers or of none.
  tags text[] CONSTRAINT segment_tags_some CHECK (cardinality(tags) > 0),
  cities text[] CONSTRAINT segment_cities_some CHECK (cardinality(cities) > 0),
  countries text[] CONSTRAINT segment_countries_some CHECK (cardinality(countries) > 0)
    CONSTRAINT segment_countries_codes
    CHECK (array_position(countries, NULL) IS NULL AND array_to_string(countries, ' ') ~ '^[A-Z]{2}( [A-Z]{2})*$'),
  -- In any of these tiers. Ids and no link table for the reason that promotion.check_conditions gives.
  loyalty_tier_ids uuid[] CONSTRAINT segment_loyalty_tiers_some CHECK (cardinality(loyalty_tier_ids) > 0),
  marketing_opt_in boolean,
  email_verified boolean,
  created_after timestamptz,
  created_before timestamptz,
  -- Whether anything is asked at all.
  filtered boolean NOT NULL GENERATED ALWAYS AS (
    num_nonnulls(
      total_spent_min, total_spent_max, order_count_min, order_count_max, last_order_after, last_order_before,
      last_order_within_days, no_order_for_days, tags, cities, countries, loyalty_tier_ids, marketing_opt_in, email_verified,
      created_after, created_before
    ) > 0
  ) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT segment_name_key UNIQUE (merchant_id, name),
  CONSTRAINT segment_total_spent_range CHECK (total_spent_min <= total_spent_max),
  CONSTRAINT segment_order_count_range CHECK (order_count_min <= order_count_max),
  CONSTRAINT segment_last_order_range CHECK (last_order_after < last_order_before),
  CONSTRAINT segment_created_range CHECK (created_after < created_before)
);
CREATE INDEX segment_created_at ON crm.segment (merchant_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON crm.segment
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.check_segment_tiers() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF EXISTS (
    SELECT FROM unnest(NEW.loyalty_tier_ids) x WHERE NOT EXISTS (
      SELECT FROM crm.loyalty_tier t WHERE t.merchant_id = NEW.merchant_id AND t.id = x
    )
  ) THEN
    PERFORM platform.violate('crm.segment', 'segment_loyalty_tiers_exist');
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER check_tiers BEFORE INSERT OR UPDATE OF loyalty_tier_ids ON crm.segment
  FOR EACH ROW EXECUTE FUNCTION crm.check_segment_tiers();

-- Who is in which segment now; nobody who wants to be forgotten is. What it takes to know is only looked at where a segment asks for it: coalesce passes over
-- what isn't asked, and orders and addresses are looked up for nobody else than those whom the cheap questions leave.
CREATE VIEW crm.segment_member AS
SELECT s.merchant_id, s.id AS segment_id, c.id AS customer_id
FROM crm.segment s
JOIN crm.customer c ON c.merchant_id = s.merchant_id
WHERE c.anonymized_at IS NULL
  AND coalesce(c.tags @> s.tags, true)
  AND coalesce(c.marketing_opt_in = s.marketing_opt_in, true)
  AND coalesce(c.email_verified = s.email_verified, true)
  AND coalesce(c.created_at >= s.created_after, true)
  AND coalesce(c.created_at < s.created_before, true)
  AND (
    num_nonnulls(s.cities, s.countries) = 0
    OR EXISTS (
      SELECT FROM crm.address a
      WHERE a.merchant_id = c.merchant_id AND a.customer_id = c.id
        AND (s.cities IS NULL OR lower(a.city) IN (SELECT lower(x) FROM unnest(s.cities) x))
        AND (s.countries IS NULL OR a.country = ANY (s.countries))
    )
  )
  AND (
    s.loyalty_tier_ids IS NULL
    OR EXISTS (
      SELECT FROM crm.customer_loyalty l
      WHERE l.merchant_id = c.merchant_id AND l.customer_id = c.id AND l.tier_id = ANY (s.loyalty_tier_ids)
    )
  )
  AND (
    num_nonnulls(
      s.total_spent_min, s.total_spent_max, s.order_count_min, s.order_count_max, s.last_order_after, s.last_order_before,
      s.last_order_within_days, s.no_order_for_days
    ) = 0
    OR EXISTS (
      SELECT FROM crm.customer_total t
      WHERE t.merchant_id = c.merchant_id AND t.customer_id = c.id
        AND coalesce(t.total_spent >= s.total_spent_min, true)
        AND coalesce(t.total_spent <= s.total_spent_max, true)
        AND coalesce(t.order_count >= s.order_count_min, true)
        AND coalesce(t.order_count <= s.order_count_max, true)
        -- Who never ordered has no last order, neither before nor after anything.
        AND (s.last_order_after IS NULL OR t.last_order_date >= s.last_order_after)
        AND (s.last_order_before IS NULL OR t.last_order_date < s.last_order_before)
        AND (s.last_order_within_days IS NULL OR t.last_order_date >= now() - make_interval(days => s.last_order_within_days))
        AND coalesce(t.last_order_date < now() - make_interval(days => s.no_order_for_days), true)
    )
  );

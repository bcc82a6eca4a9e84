-- The customers that meet all conditions of a segment, saved or not. As long as this is one SELECT and STABLE, Postgres
-- puts it into the query that reads it, and plans both as one.
CREATE FUNCTION crm.customers_in(p_segment crm.segment)
RETURNS TABLE (customer_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT c.id
  FROM crm.customer c
  WHERE
    c.merchant_id = p_segment.merchant_id
    AND c.anonymized_at IS NULL
    AND coalesce(c.tags @> p_segment.tags, TRUE)
    AND coalesce(c.marketing_opt_in = p_segment.marketing_opt_in, TRUE)
    AND coalesce(c.email_verified = p_segment.email_verified, TRUE)
    AND coalesce(c.created_at >= p_segment.created_after, TRUE)
    AND coalesce(c.created_at < p_segment.created_before, TRUE)
    AND (
      num_nonnulls(p_segment.cities, p_segment.countries) = 0
      OR EXISTS (
        SELECT
        FROM crm.address a
        WHERE
          a.merchant_id = c.merchant_id
          AND a.customer_id = c.id
          AND (p_segment.cities IS NULL OR lower(a.city) IN (SELECT lower(x) FROM unnest(p_segment.cities) x))
          AND (p_segment.countries IS NULL OR a.country = ANY (p_segment.countries))
      )
    )
    AND (
      p_segment.loyalty_tier_ids IS NULL
      OR EXISTS (
        SELECT
        FROM crm.customer_loyalty l
        WHERE l.merchant_id = c.merchant_id AND l.customer_id = c.id AND l.tier_id = ANY (p_segment.loyalty_tier_ids)
      )
    )
    AND (
      num_nonnulls(
        p_segment.total_spent_min,
        p_segment.total_spent_max,
        p_segment.order_count_min,
        p_segment.order_count_max,
        p_segment.last_order_after,
        p_segment.last_order_before,
        p_segment.last_order_within_days,
        p_segment.no_order_for_days
      ) = 0
      OR EXISTS (
        SELECT
        FROM crm.customer_total t
        WHERE
          t.merchant_id = c.merchant_id
          AND t.customer_id = c.id
          AND coalesce(t.total_spent >= p_segment.total_spent_min, TRUE)
          AND coalesce(t.total_spent <= p_segment.total_spent_max, TRUE)
          AND coalesce(t.order_count >= p_segment.order_count_min, TRUE)
          AND coalesce(t.order_count <= p_segment.order_count_max, TRUE)
          -- A customer without orders has no last order, neither before nor after any time.
          AND (p_segment.last_order_after IS NULL OR t.last_order_date >= p_segment.last_order_after)
          AND (p_segment.last_order_before IS NULL OR t.last_order_date < p_segment.last_order_before)
          AND (
            p_segment.last_order_within_days IS NULL
            OR t.last_order_date >= now() - make_interval(days => p_segment.last_order_within_days)
          )
          AND coalesce(t.last_order_date < now() - make_interval(days => p_segment.no_order_for_days), TRUE)
      )
    );
$$;

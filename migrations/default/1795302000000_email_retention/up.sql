-- What was written to people isn't kept for ever. The log is: that something was sent, to whom and what became of it.
CREATE INDEX delivery_rendered ON email.delivery (created_at) WHERE html IS NOT NULL;

-- Empties settled messages that are older than p_age. What can still be sent again keeps what it is made of.
-- Returns how many; fewer than p_limit means that it is done.
CREATE FUNCTION email.purge_rendered(p_age interval, p_limit integer) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH old AS (
    SELECT x.merchant_id, x.id FROM email.delivery x
    WHERE x.html IS NOT NULL AND x.created_at < now() - p_age AND x.status NOT IN ('QUEUED', 'SENDING')
    ORDER BY x.created_at
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED
  ),
  emptied AS (
    UPDATE email.delivery d
    SET html = NULL, text = NULL, facts = CASE WHEN d.status IN ('FAILED', 'BOUNCED') THEN d.facts ELSE '{}' END
    FROM old
    WHERE d.merchant_id = old.merchant_id AND d.id = old.id
    RETURNING 1
  )
  SELECT count(*)::integer FROM emptied
$$;

-- Of points that come in, takes back what refunds could not take because the points of those payments had been spent:
-- otherwise a shopper who spends them, and cancels both orders, has the points and paid for nothing. What expired
-- unspent is not owed.
CREATE FUNCTION crm.take_back_owed_points()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id)
  WITH
    refunded AS (
      SELECT
        e.payment_id,
        sum(e.points) FILTER (WHERE e.type = 'EARNED') AS earned,
        coalesce(sum(e.points) FILTER (WHERE e.type = 'TAKEN_BACK'), 0) AS taken_back,
        p.refunded_amount,
        p.captured_amount
      FROM
        crm.loyalty_entry e
        JOIN payment.payment p ON p.merchant_id = e.merchant_id AND p.id = e.payment_id
      WHERE
        e.merchant_id = NEW.merchant_id
        AND e.customer_id = NEW.customer_id
        AND e.type IN ('EARNED', 'TAKEN_BACK')
        AND p.refunded_amount > 0
      GROUP BY e.payment_id, p.refunded_amount, p.captured_amount
    ),
    owed AS (
      SELECT
        r.payment_id,
        d.points,
        sum(d.points) OVER (ORDER BY r.payment_id) - d.points AS before,
        sum(d.points) OVER () AS total
      FROM
        refunded r
        CROSS JOIN LATERAL (
          SELECT crm.points_due(r.earned, r.refunded_amount, r.captured_amount) + r.taken_back AS points
        ) d
      WHERE d.points > 0
    )
  SELECT NEW.merchant_id, NEW.customer_id, 'TAKEN_BACK', -least(o.points, b.bound - o.before), o.payment_id
  FROM
    owed o
    CROSS JOIN LATERAL (
      SELECT
        least(
          a.points,
          o.total + (
            SELECT coalesce(sum(e.points), 0)
            FROM crm.loyalty_entry e
            WHERE e.merchant_id = NEW.merchant_id AND e.customer_id = NEW.customer_id AND e.type = 'EXPIRED'
          )
        ) AS bound
      FROM crm.loyalty_account a
      WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id
    ) b
  WHERE b.bound > o.before;
  RETURN NULL;
END;
$$;

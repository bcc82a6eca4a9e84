-- Reviews by those who bought the product say so.

ALTER TABLE catalog.review ADD COLUMN verified_purchase boolean NOT NULL DEFAULT false;

-- Whether a customer has paid for a product, in an order that wasn't cancelled.
CREATE FUNCTION catalog.has_bought(p_merchant_id uuid, p_customer_id uuid, p_product_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (
    SELECT FROM ordering.product_order l
    JOIN ordering.order o ON o.merchant_id = l.merchant_id AND o.id = l.order_id
    WHERE l.merchant_id = p_merchant_id AND l.product_id = p_product_id AND o.customer_id = p_customer_id
      AND o.status NOT IN ('PENDING', 'CANCELLED')
  )
$$;

-- Said when the review is written, and never by whoever writes it.
CREATE FUNCTION catalog.verify_purchase() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.verified_purchase := catalog.has_bought(NEW.merchant_id, NEW.customer_id, NEW.product_id);
  RETURN NEW;
END
$$;
CREATE TRIGGER verify_purchase BEFORE INSERT ON catalog.review FOR EACH ROW EXECUTE FUNCTION catalog.verify_purchase();
UPDATE catalog.review r SET verified_purchase = true WHERE catalog.has_bought(r.merchant_id, r.customer_id, r.product_id);

-- What there is to moderate.
CREATE INDEX review_created_at ON catalog.review (merchant_id, created_at, id);
CREATE INDEX review_status_created_at ON catalog.review (merchant_id, status, created_at, id);

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON promotion.promotion
FOR EACH ROW
WHEN (OLD.usage_count = NEW.usage_count)
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON promotion.campaign
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

-- Only what a promotion hasn't named before has to exist: what it names may be deleted later.
CREATE FUNCTION promotion.check_conditions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.product_ids) x
      WHERE
        x = ANY (OLD.product_ids) IS NOT TRUE
        AND NOT EXISTS (
          SELECT FROM catalog.product p WHERE p.merchant_id = NEW.merchant_id AND p.id = x AND p.deleted_at IS NULL
        )
    )
  THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_products_exist');
  END IF;
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.category_ids) x
      WHERE
        x = ANY (OLD.category_ids) IS NOT TRUE
        AND NOT EXISTS (SELECT FROM catalog.category c WHERE c.merchant_id = NEW.merchant_id AND c.id = x)
    )
  THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_categories_exist');
  END IF;
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.customer_ids) x
      WHERE
        x = ANY (OLD.customer_ids) IS NOT TRUE
        AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = x)
    )
  THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_customers_exist');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_conditions
BEFORE INSERT OR UPDATE OF product_ids, category_ids, customer_ids ON promotion.promotion
FOR EACH ROW
EXECUTE FUNCTION promotion.check_conditions();

CREATE FUNCTION promotion.check_automatic()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.code IS NULL AND NOT NEW.disabled AND NEW.end_date > now() THEN
    -- One at a time, so that of two at once the second counts the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('automatic promotions ' || NEW.merchant_id, 0));
    IF
      (
        SELECT count(*)
        FROM promotion.promotion p
        WHERE p.merchant_id = NEW.merchant_id AND p.code IS NULL AND NOT p.disabled AND p.end_date > now()
      ) > 50
    THEN
      PERFORM platform.violate('promotion.promotion', 'promotion_automatic_limit');
    END IF;
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER check_automatic
AFTER INSERT OR UPDATE OF code, disabled, end_date ON promotion.promotion
FOR EACH ROW
EXECUTE FUNCTION promotion.check_automatic();

CREATE FUNCTION promotion.count_usage()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_before uuid := CASE
    WHEN OLD.status <> 'CANCELLED' THEN OLD.promotion_id
  END;
  v_after uuid := CASE
    WHEN NEW.status <> 'CANCELLED' THEN NEW.promotion_id
  END;
  v_merchant_id uuid := coalesce(NEW.merchant_id, OLD.merchant_id);
BEGIN
  IF v_before IS DISTINCT FROM v_after AND NOT (TG_OP = 'DELETE' AND merchant.deletion_is_due(v_merchant_id)) THEN
    UPDATE promotion.promotion p
    SET usage_count = p.usage_count - 1
    WHERE p.merchant_id = v_merchant_id AND p.id = v_before;
    UPDATE promotion.promotion p
    SET usage_count = p.usage_count + 1
    WHERE p.merchant_id = v_merchant_id AND p.id = v_after;
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER count_usage
AFTER INSERT OR DELETE OR UPDATE OF status, promotion_id ON ordering.order
FOR EACH ROW
EXECUTE FUNCTION promotion.count_usage();

CREATE FUNCTION promotion.name_on_order()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.promotion_name := (
    SELECT p.name FROM promotion.promotion p WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.promotion_id
  );
  RETURN NEW;
END;
$$;

CREATE TRIGGER name_promotion
BEFORE INSERT OR UPDATE OF promotion_id ON ordering.order
FOR EACH ROW
-- Most orders have none, and no name to take away.
WHEN (NEW.promotion_id IS NOT NULL OR NEW.promotion_name IS NOT NULL)
EXECUTE FUNCTION promotion.name_on_order();

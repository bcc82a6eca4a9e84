CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.order
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.fulfillment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.check_adds_up(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (
      SELECT
      FROM ordering.order o
      WHERE
        o.merchant_id = p_merchant_id
        AND o.id = p_order_id
        AND (o.subtotal, o.tax, o.discount - o.shipping_discount) <> (
          SELECT coalesce(sum(i.subtotal), 0), coalesce(sum(i.tax), 0), coalesce(sum(i.discount), 0)
          FROM ordering.order_item i
          WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
        )
    )
  THEN
    PERFORM
      platform.violate(
        'ordering.order',
        'order_lines_add_up',
        format('the lines of order %s do not add up to its subtotal, tax and discount', p_order_id)
      );
  END IF;
END;
$$;

CREATE FUNCTION ordering.check_order_adds_up()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.check_adds_up(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER order_lines_add_up
AFTER INSERT OR UPDATE OF subtotal, tax, discount, shipping_discount ON ordering.order
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
EXECUTE FUNCTION ordering.check_order_adds_up();

CREATE FUNCTION ordering.check_line_adds_up()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.check_adds_up(coalesce(NEW.merchant_id, OLD.merchant_id), coalesce(NEW.order_id, OLD.order_id));
  RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER order_lines_add_up
AFTER UPDATE OR DELETE ON ordering.order_item
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION ordering.check_line_adds_up();

-- Lines that come with their order are covered by the order's own check.
CREATE CONSTRAINT TRIGGER added_lines_add_up
AFTER INSERT ON ordering.order_item
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing() AND NOT ordering.placing(NEW.order_id))
EXECUTE FUNCTION ordering.check_line_adds_up();

CREATE FUNCTION ordering.keep_history()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    TG_OP = 'DELETE'
    AND NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = OLD.merchant_id AND o.id = OLD.order_id)
  THEN
    RETURN OLD;
  END IF;
  IF
    TG_OP = 'UPDATE'
    AND OLD.type = 'NOTES_CHANGED'
    AND to_jsonb(NEW) = to_jsonb(OLD) || '{"note": null}'
    AND EXISTS (
      SELECT
      FROM
        ordering.order o
        JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
      WHERE o.merchant_id = OLD.merchant_id AND o.id = OLD.order_id AND c.anonymized_at IS NOT NULL
    )
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the history of an order is never changed';
END;
$$;

CREATE TRIGGER keep_history
BEFORE UPDATE OR DELETE ON ordering.history_entry
FOR EACH ROW
EXECUTE FUNCTION ordering.keep_history();

CREATE FUNCTION ordering.record_order()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.id,
        'PLACED',
        p_to_status => NEW.status,
        p_amount => NEW.total,
        p_at => NEW.created_at
      );
    RETURN NULL;
  END IF;
  IF NEW.status <> OLD.status THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.id,
        'STATUS_CHANGED',
        OLD.status,
        NEW.status,
        p_note =>
          CASE
            WHEN NEW.status = 'CANCELLED' THEN NEW.cancel_reason
          END
      );
  END IF;
  IF NEW.notes IS DISTINCT FROM OLD.notes THEN
    PERFORM ordering.record(NEW.merchant_id, NEW.id, 'NOTES_CHANGED', p_note => NEW.notes);
  END IF;
  IF NEW.tags <> OLD.tags THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.id,
        'TAGS_CHANGED',
        p_note => array_to_string(NEW.tags, ', '),
        p_staff_only => TRUE
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_order
AFTER INSERT ON ordering.order
FOR EACH ROW
WHEN (NOT platform.importing() AND NOT ordering.placing(NEW.id))
EXECUTE FUNCTION ordering.record_order();

CREATE TRIGGER record_changed_order
AFTER UPDATE OF status, notes, tags ON ordering.order
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION ordering.record_order();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.shipment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.record_shipment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_tracking text := nullif(concat_ws(' ', NEW.carrier, NEW.tracking_number), '');
BEGIN
  PERFORM
    ordering.record(
      NEW.merchant_id,
      NEW.order_id,
      CASE
        WHEN TG_OP = 'UPDATE'
        AND OLD.status = NEW.status THEN 'SHIPMENT_CHANGED'
        ELSE 'SHIPMENT_' || NEW.status
      END,
      p_note => v_tracking,
      p_subject_id => NEW.id,
      p_staff_only => NEW.status IN ('PACKED', 'CANCELLED'),
      p_at =>
        CASE
          WHEN TG_OP = 'INSERT' THEN coalesce(NEW.delivered_at, NEW.shipped_at, NEW.created_at)
          ELSE clock_timestamp()
        END
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_shipment
AFTER INSERT OR UPDATE OF status, carrier, tracking_number, estimated_delivery_at ON ordering.shipment
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION ordering.record_shipment();

CREATE FUNCTION ordering.follow_captures()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.note_uncaptured(NEW.merchant_id, NEW.order_id);
  RETURN NULL;
END;
$$;

-- Payments, and further captures, of an order that is paid.
CREATE TRIGGER follow_captures
AFTER INSERT OR UPDATE OF captured_amount ON payment.payment
FOR EACH ROW
WHEN (NEW.order_id IS NOT NULL AND NEW.captured_amount > 0 AND NOT platform.importing())
EXECUTE FUNCTION ordering.follow_captures();

CREATE FUNCTION ordering.note_uncaptured_of_paid()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.note_uncaptured(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_uncaptured
AFTER UPDATE OF status ON ordering.order
FOR EACH ROW
WHEN (OLD.paid_at IS NULL AND NEW.paid_at IS NOT NULL AND NOT platform.importing())
EXECUTE FUNCTION ordering.note_uncaptured_of_paid();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.order_return
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.record_return()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    ordering.record(
      NEW.merchant_id,
      NEW.order_id,
      'RETURN_' || NEW.status,
      p_note => coalesce(NEW.rejection_reason, NEW.return_number),
      p_subject_id => NEW.id,
      p_at =>
        CASE
          WHEN TG_OP = 'INSERT' THEN NEW.created_at
          ELSE clock_timestamp()
        END
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_return
AFTER INSERT ON ordering.order_return
FOR EACH ROW
EXECUTE FUNCTION ordering.record_return();

CREATE TRIGGER record_return_change
AFTER UPDATE OF status ON ordering.order_return
FOR EACH ROW
WHEN (NEW.status <> OLD.status)
EXECUTE FUNCTION ordering.record_return();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.draft_order
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.link_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO ordering.product_order (merchant_id, product_id, order_id, created_at)
  SELECT DISTINCT i.merchant_id, i.product_id, i.order_id, o.created_at
  FROM
    changed i
    JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER link_products
AFTER INSERT ON ordering.order_item
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT ordering.placing())
EXECUTE FUNCTION ordering.link_products();

CREATE FUNCTION ordering.unlink_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM ordering.product_order l
  USING changed c
  WHERE
    l.merchant_id = c.merchant_id
    AND l.product_id = c.product_id
    AND l.order_id = c.order_id
    AND NOT EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = c.merchant_id AND i.order_id = c.order_id AND i.product_id = c.product_id
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER unlink_products
AFTER DELETE ON ordering.order_item
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION ordering.unlink_products();

CREATE FUNCTION ordering.date_links()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.product_order l
  SET created_at = NEW.created_at
  WHERE l.merchant_id = NEW.merchant_id AND l.order_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER date_links
AFTER UPDATE OF created_at ON ordering.order
FOR EACH ROW
WHEN (NEW.created_at <> OLD.created_at)
EXECUTE FUNCTION ordering.date_links();

CREATE FUNCTION ordering.note_paid_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.paid_at := CASE TG_OP
    WHEN 'INSERT' THEN NEW.created_at
    ELSE now()
  END;
  RETURN NEW;
END;
$$;

CREATE TRIGGER note_paid_at
BEFORE INSERT OR UPDATE OF status ON ordering.order
FOR EACH ROW
WHEN (NEW.paid_at IS NULL AND NEW.status IN ('CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'REFUNDED'))
EXECUTE FUNCTION ordering.note_paid_at();

CREATE FUNCTION ordering.index_changed_lines()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.index_for_search(array_agg(l.merchant_id), array_agg(l.order_id)) FROM changed l;
  RETURN NULL;
END;
$$;

CREATE TRIGGER index_added_lines
AFTER INSERT ON ordering.order_item
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION ordering.index_changed_lines();

CREATE TRIGGER index_removed_lines
AFTER DELETE ON ordering.order_item
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION ordering.index_changed_lines();

CREATE FUNCTION ordering.index_changed_order()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.index_for_search(ARRAY[NEW.merchant_id], ARRAY[NEW.id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER index_changed_order
AFTER UPDATE OF order_number, external_id, tags, customer_id ON ordering.order
FOR EACH ROW
WHEN
  (
    (OLD.order_number, OLD.external_id, OLD.tags, OLD.customer_id) IS DISTINCT FROM (
      NEW.order_number,
      NEW.external_id,
      NEW.tags,
      NEW.customer_id
    )
  )
EXECUTE FUNCTION ordering.index_changed_order();

CREATE FUNCTION ordering.index_orders_of_customer()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.index_for_search(array_agg(o.merchant_id), array_agg(o.id))
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.customer_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER index_orders_of_customer
AFTER UPDATE OF name, email ON crm.customer
FOR EACH ROW
WHEN ((OLD.name, OLD.email) IS DISTINCT FROM (NEW.name, NEW.email))
EXECUTE FUNCTION ordering.index_orders_of_customer();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON files.file
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION files.count_bytes()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_delta bigint := coalesce(NEW.stored_bytes, 0) - coalesce(OLD.stored_bytes, 0);
BEGIN
  UPDATE files.usage u SET bytes = u.bytes + v_delta WHERE u.merchant_id = coalesce(NEW.merchant_id, OLD.merchant_id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER count_bytes
AFTER INSERT OR UPDATE OF stored_bytes OR DELETE ON files.file
FOR EACH ROW
EXECUTE FUNCTION files.count_bytes();

-- The image that a row is to show. It stays until the transaction ends.
CREATE FUNCTION files.image_to_show(p_merchant_id uuid, p_file_id uuid, p_constraint text)
RETURNS files.file
LANGUAGE plpgsql
AS $$
DECLARE
  v_file files.file;
BEGIN
  SELECT f.*
  INTO v_file
  FROM files.file f
  WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.purpose = 'IMAGE' AND f.status = 'READY'
  FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE foreign_key_violation USING MESSAGE = 'the file is not an image that is READY', CONSTRAINT = p_constraint;
  END IF;
  RETURN v_file;
END;
$$;

-- The uploaded image that is at a URL; null: the picture is elsewhere.
CREATE FUNCTION files.image_at(p_merchant_id uuid, p_url text)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT f.id FROM files.file f WHERE f.merchant_id = p_merchant_id AND f.url = p_url;
$$;

-- Triggers of a table run in the order of their names: files are found before they are shown.
CREATE FUNCTION files.find_on_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.file_id := files.image_at(NEW.merchant_id, NEW.url);
  RETURN NEW;
END;
$$;

CREATE TRIGGER find_file
BEFORE INSERT ON catalog.product_image
FOR EACH ROW
WHEN (NEW.file_id IS NULL)
EXECUTE FUNCTION files.find_on_product();

CREATE FUNCTION files.find_on_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.image_file_id := files.image_at(NEW.merchant_id, NEW.image_url);
  RETURN NEW;
END;
$$;

CREATE TRIGGER find_file
BEFORE INSERT OR UPDATE OF image_url, image_file_id ON catalog.category
FOR EACH ROW
WHEN (NEW.image_file_id IS NULL AND NEW.image_url IS NOT NULL)
EXECUTE FUNCTION files.find_on_category();

CREATE FUNCTION files.show_on_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_file files.file := files.image_to_show(NEW.merchant_id, NEW.file_id, 'product_image_file_fkey');
BEGIN
  NEW.url := v_file.url;
  NEW.width := v_file.width;
  NEW.height := v_file.height;
  RETURN NEW;
END;
$$;

CREATE TRIGGER show_file
BEFORE INSERT OR UPDATE OF file_id ON catalog.product_image
FOR EACH ROW
WHEN (NEW.file_id IS NOT NULL)
EXECUTE FUNCTION files.show_on_product();

CREATE FUNCTION files.show_on_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_file files.file := files.image_to_show(NEW.merchant_id, NEW.image_file_id, 'category_image_file_fkey');
BEGIN
  NEW.image_url := v_file.url;
  RETURN NEW;
END;
$$;

CREATE TRIGGER show_file
BEFORE INSERT OR UPDATE OF image_file_id ON catalog.category
FOR EACH ROW
WHEN (NEW.image_file_id IS NOT NULL)
EXECUTE FUNCTION files.show_on_category();

CREATE FUNCTION files.release_from_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE files.file f SET released_at = now() WHERE f.merchant_id = OLD.merchant_id AND f.id = OLD.file_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER release_file
AFTER DELETE OR UPDATE OF file_id ON catalog.product_image
FOR EACH ROW
WHEN (OLD.file_id IS NOT NULL)
EXECUTE FUNCTION files.release_from_product();

CREATE FUNCTION files.release_from_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE files.file f SET released_at = now() WHERE f.merchant_id = OLD.merchant_id AND f.id = OLD.image_file_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER release_file
AFTER DELETE OR UPDATE OF image_file_id ON catalog.category
FOR EACH ROW
WHEN (OLD.image_file_id IS NOT NULL)
EXECUTE FUNCTION files.release_from_category();

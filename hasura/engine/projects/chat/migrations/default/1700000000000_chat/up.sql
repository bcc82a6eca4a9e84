CREATE TABLE "user" (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE,
  last_seen_at timestamptz
);

CREATE TABLE room (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL UNIQUE,
  topic text NOT NULL DEFAULT '',
  is_public boolean NOT NULL DEFAULT false
);

CREATE TABLE member (
  room_id int NOT NULL REFERENCES room ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  is_moderator boolean NOT NULL DEFAULT false,
  typing_since timestamptz,
  PRIMARY KEY (room_id, user_id)
);

CREATE TABLE message (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  room_id int NOT NULL REFERENCES room ON DELETE CASCADE,
  author_id uuid NOT NULL REFERENCES "user",
  body text NOT NULL CHECK (length(body) BETWEEN 1 AND 2000),
  sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  edited_at timestamptz
);
CREATE INDEX message_room_sent ON message (room_id, sent_at);

CREATE FUNCTION note_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.edited_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER message_edited BEFORE UPDATE OF body ON message
  FOR EACH ROW EXECUTE FUNCTION note_edit();

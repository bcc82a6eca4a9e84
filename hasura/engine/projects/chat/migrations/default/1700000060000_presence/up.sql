-- Who typed within the last five seconds. A live query asks again and again, so they vanish by themselves.
CREATE VIEW typing AS
  SELECT room_id, user_id FROM member WHERE typing_since > now() - interval '5 seconds';

CREATE FUNCTION start_typing(room int, hasura_session json) RETURNS SETOF member LANGUAGE sql VOLATILE AS $$
  UPDATE member SET typing_since = now()
  WHERE room_id = room AND user_id = (hasura_session ->> 'x-hasura-user-id')::uuid
  RETURNING *
$$;

CREATE FUNCTION say_hello(hasura_session json) RETURNS "user" LANGUAGE sql VOLATILE AS $$
  UPDATE "user" SET last_seen_at = now()
  WHERE id = (hasura_session ->> 'x-hasura-user-id')::uuid
  RETURNING *
$$;

CREATE FUNCTION user_is_online(person "user") RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(person.last_seen_at > now() - interval '1 minute', false)
$$;

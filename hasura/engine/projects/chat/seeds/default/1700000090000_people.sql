INSERT INTO "user" (id, name) VALUES
  ('00000000-0000-4000-8000-0000000000a1', 'Ada'),
  ('00000000-0000-4000-8000-0000000000b2', 'Bo'),
  ('00000000-0000-4000-8000-0000000000c3', 'Cy');
INSERT INTO room (slug, topic, is_public) VALUES ('lobby', 'Everybody', true), ('crew', 'The crew', false);
INSERT INTO member (room_id, user_id, is_moderator)
SELECT room.id, u.id, u.name = 'Ada' FROM room, "user" u WHERE room.is_public OR u.name <> 'Cy';
INSERT INTO message (room_id, author_id, body)
SELECT member.room_id, member.user_id, u.name || ' is here'
FROM member JOIN "user" u ON u.id = member.user_id ORDER BY member.room_id, u.name;

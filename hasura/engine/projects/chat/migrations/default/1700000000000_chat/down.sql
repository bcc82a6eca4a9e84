DROP TABLE message, member, room, "user";
DROP FUNCTION note_edit();

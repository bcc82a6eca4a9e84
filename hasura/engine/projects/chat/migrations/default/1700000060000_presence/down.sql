DROP FUNCTION user_is_online("user");
DROP FUNCTION say_hello(json);
DROP FUNCTION start_typing(int, json);
DROP VIEW typing;

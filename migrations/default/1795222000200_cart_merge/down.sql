DROP FUNCTION cart.merge(uuid, uuid, uuid, interval, integer);

DROP FUNCTION ordering.process_order(uuid, uuid, jsonb);
DROP FUNCTION ordering.deliver_order(uuid, uuid, jsonb, jsonb);
DROP FUNCTION ordering.advance_shipment(uuid, uuid, text, jsonb, jsonb, jsonb);
DROP FUNCTION ordering.packed_shipments(uuid, uuid);
DROP FUNCTION ordering.unpack(uuid, uuid[]);
DROP FUNCTION ordering.fulfill_order(uuid, uuid, jsonb, jsonb, jsonb, jsonb);
DROP FUNCTION ordering.send(uuid, uuid, uuid, text);
DROP FUNCTION ordering.follow_shipments(uuid, uuid, jsonb);
DROP FUNCTION ordering.move_order(uuid, uuid, jsonb);
DROP FUNCTION inventory.take_back(uuid, uuid, text, uuid, integer, text);
DROP FUNCTION inventory.end_part_of_reservation(uuid, uuid, uuid[], integer[], text);
ALTER TABLE ordering.order_item
  DROP CONSTRAINT order_item_returned_once,
  DROP CONSTRAINT order_item_refunded_once,
  DROP CONSTRAINT order_item_sent_once,
  DROP COLUMN returned_quantity,
  DROP COLUMN returning_quantity,
  DROP COLUMN refunded_quantity,
  DROP COLUMN cancelled_quantity,
  DROP COLUMN fulfilled_quantity,
  DROP COLUMN packed_quantity;
DROP TABLE ordering.shipment_line;
DROP TABLE ordering.shipment;
DROP FUNCTION ordering.record_shipment();

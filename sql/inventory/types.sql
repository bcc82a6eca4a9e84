-- What a reservation is to hold. A list has one unit count for each item, and may name an item twice.
CREATE TYPE inventory.claim AS (
  reservation_id uuid,
  -- NULL: none has it yet.
  order_id uuid,
  expires_at timestamptz,
  -- Who gets the units, as inventory.stock_movement has it.
  principal text,
  stock_item_ids uuid[],
  quantities integer[]
);

-- Of a level, what a claim held before and is to hold.
CREATE TYPE inventory.share AS (
  -- The claim's place in its list, from 1.
  claim integer,
  stock_item_id uuid,
  warehouse_id uuid,
  held integer,
  quantity integer
);

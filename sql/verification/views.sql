-- One view for each rule about derived values. A row is a disagreement, so an intact database has none. `npm run
-- verify` and the tests read every view of this schema, so both check a rule that is added here. Each view has the
-- columns merchant_id, subject (the record) and disagreement (a sentence).
CREATE SCHEMA verification;

CREATE VIEW verification.stock_reserved AS
  SELECT
    l.merchant_id,
    format('%s in warehouse %s', l.stock_item_id, l.warehouse_id) AS subject,
    format(
      'available %s, reserved %s, but open reservations hold %s',
      l.available,
      l.reserved,
      coalesce(h.quantity, 0)
    ) AS disagreement
  FROM
    inventory.stock_level l
    LEFT JOIN (
      SELECT x.merchant_id, x.stock_item_id, x.warehouse_id, sum(x.quantity) AS quantity
      FROM
        inventory.reservation_line x
        JOIN inventory.reservation r ON r.merchant_id = x.merchant_id AND r.id = x.reservation_id
      WHERE r.status IN ('ACTIVE', 'COMMITTED')
      GROUP BY x.merchant_id, x.stock_item_id, x.warehouse_id
    ) h
      USING (merchant_id, stock_item_id, warehouse_id)
  WHERE l.available < 0 OR l.reserved <> coalesce(h.quantity, 0);

CREATE VIEW verification.stock_ledger AS
  SELECT
    l.merchant_id,
    format('%s in warehouse %s', l.stock_item_id, l.warehouse_id) AS subject,
    format(
      'on hand %s, reserved %s, but the ledger adds up to %s and %s',
      l.available + l.reserved,
      l.reserved,
      coalesce(s.on_hand, 0),
      coalesce(s.reserved, 0)
    ) AS disagreement
  FROM
    inventory.stock_level l
    LEFT JOIN (
      SELECT
        m.merchant_id,
        m.stock_item_id,
        m.warehouse_id,
        sum(m.on_hand_delta) AS on_hand,
        sum(m.reserved_delta) AS reserved
      FROM
        inventory.stock_movement m
        JOIN inventory.stock_item i
          ON i.merchant_id = m.merchant_id AND i.id = m.stock_item_id AND i.product_id = m.product_id
      GROUP BY m.merchant_id, m.stock_item_id, m.warehouse_id
    ) s
      USING (merchant_id, stock_item_id, warehouse_id)
  WHERE (l.available + l.reserved, l.reserved) <> (coalesce(s.on_hand, 0), coalesce(s.reserved, 0));

CREATE VIEW verification.item_standing AS
  SELECT
    i.merchant_id,
    coalesce(i.sku, i.id::text) AS subject,
    format(
      'is kept as sellable %s, in stock %s, to restock %s, but is %s, %s, %s',
      i.is_sellable,
      i.in_stock,
      i.needs_restock,
      s.is_sellable,
      s.in_stock,
      s.needs_restock
    ) AS disagreement
  FROM
    inventory.stock_item i
    JOIN inventory.item_standing s ON s.merchant_id = i.merchant_id AND s.stock_item_id = i.id
  WHERE (i.is_sellable, i.in_stock, i.needs_restock) IS DISTINCT FROM (s.is_sellable, s.in_stock, s.needs_restock);

CREATE VIEW verification.products_in_stock AS
  SELECT
    p.merchant_id,
    p.id::text AS subject,
    format('is kept as in stock %s, but its items say %s', p.in_stock, s.in_stock) AS disagreement
  FROM
    catalog.product p
    CROSS JOIN LATERAL (
      SELECT
        EXISTS (
          SELECT
          FROM inventory.stock_item i
          WHERE i.merchant_id = p.merchant_id AND i.product_id = p.id AND i.in_stock
        ) AS in_stock
    ) s
  WHERE
    p.in_stock <> s.in_stock
    AND NOT EXISTS (
      SELECT FROM inventory.unsettled_product u WHERE u.merchant_id = p.merchant_id AND u.product_id = p.id
    );

-- The database checks the total itself; the lines are in another table.
CREATE VIEW verification.order_lines AS
  SELECT
    o.merchant_id,
    o.id::text AS subject,
    format(
      'subtotal %s, tax %s, discount of goods %s, but the lines add up to %s, %s and %s',
      o.subtotal,
      o.tax,
      o.discount - o.shipping_discount,
      i.subtotal,
      i.tax,
      i.discount
    ) AS disagreement
  FROM
    ordering.order o
    LEFT JOIN (
      SELECT
        i.merchant_id,
        i.order_id,
        sum(i.price::numeric * i.quantity) AS subtotal,
        sum(i.tax) AS tax,
        sum(i.discount) AS discount
      FROM ordering.order_item i
      GROUP BY i.merchant_id, i.order_id
    ) i
      ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE
    (o.subtotal, o.tax, o.discount - o.shipping_discount) IS DISTINCT FROM (
      i.subtotal,
      i.tax::bigint,
      i.discount::bigint
    );

-- Every bought unit is in one place: held for the order, sent, or returned; and the line's counters agree.
CREATE VIEW verification.order_units AS
  WITH
    held AS (
      SELECT
        r.merchant_id,
        r.order_id,
        k.product_id,
        k.variant_id,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'ACTIVE'), 0) AS active,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'COMMITTED'), 0) AS committed,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'CONSUMED'), 0) AS consumed,
        sum(x.quantity) AS ever
      FROM
        inventory.reservation r
        JOIN inventory.reservation_line x ON x.merchant_id = r.merchant_id AND x.reservation_id = r.id
        JOIN inventory.stock_item k ON k.merchant_id = x.merchant_id AND k.id = x.stock_item_id
      WHERE r.order_id IS NOT NULL
      GROUP BY r.merchant_id, r.order_id, k.product_id, k.variant_id
    ),
    -- Of the lines of one product together, because a reservation knows stock items and no lines.
    bought AS (
      SELECT
        i.merchant_id,
        i.order_id,
        i.product_id,
        i.variant_id,
        sum(i.quantity) AS quantity,
        sum(i.cancelled_quantity) AS cancelled,
        sum(i.fulfilled_quantity) AS fulfilled
      FROM ordering.order_item i
      GROUP BY i.merchant_id, i.order_id, i.product_id, i.variant_id
    ),
    sent AS (
      SELECT
        l.merchant_id,
        l.order_item_id,
        sum(l.quantity) FILTER (WHERE s.status <> 'CANCELLED') AS in_shipments,
        sum(l.quantity) FILTER (WHERE s.status IN ('SHIPPED', 'DELIVERED')) AS sent
      FROM
        ordering.shipment_line l
        JOIN ordering.shipment s ON s.merchant_id = l.merchant_id AND s.id = l.shipment_id
      GROUP BY l.merchant_id, l.order_item_id
    ),
    back AS (
      SELECT
        l.merchant_id,
        l.order_item_id,
        sum(l.quantity) FILTER (WHERE r.status NOT IN ('REJECTED', 'CANCELLED')) AS in_returns,
        sum(l.quantity) FILTER (WHERE r.status IN ('RECEIVED', 'REFUNDED')) AS back
      FROM
        ordering.return_line l
        JOIN ordering.order_return r ON r.merchant_id = l.merchant_id AND r.id = l.return_id
      GROUP BY l.merchant_id, l.order_item_id
    )
  SELECT
    o.merchant_id,
    i.id::text AS subject,
    format(
      'of %s units in order %s (%s) are held %s, committed %s, consumed %s; packed %s, sent %s, returning %s, ' 
 'returned %s, but in shipments %s, sent %s, in returns %s, returned %s',
      i.quantity,
      o.order_number,
      o.status,
      coalesce(h.active, 0),
      coalesce(h.committed, 0),
      coalesce(h.consumed, 0),
      i.packed_quantity,
      i.fulfilled_quantity,
      i.returning_quantity,
      i.returned_quantity,
      coalesce(s.in_shipments, 0),
      coalesce(s.sent, 0),
      coalesce(b.in_returns, 0),
      coalesce(b.back, 0)
    ) AS disagreement
  FROM
    ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
    JOIN bought q
      ON q.merchant_id = i.merchant_id
      AND q.order_id = i.order_id
      AND q.product_id = i.product_id
      AND q.variant_id IS NOT DISTINCT FROM i.variant_id
    LEFT JOIN held h
      ON h.merchant_id = o.merchant_id
      AND h.order_id = o.id
      AND h.product_id = i.product_id
      AND h.variant_id IS NOT DISTINCT FROM i.variant_id
    LEFT JOIN sent s ON s.merchant_id = i.merchant_id AND s.order_item_id = i.id
    LEFT JOIN back b ON b.merchant_id = i.merchant_id AND b.order_item_id = i.id
  WHERE
    -- Imported history holds no stock.
    (
      o.imported_at IS NULL
      AND (
        coalesce(h.ever, 0) <> q.quantity
        -- An order without a payment window, or of which a part was packed before the money came, is PENDING with a
        -- reservation that doesn't expire.
        OR coalesce(h.active, 0) > 0
        AND o.status <> 'PENDING'
        OR coalesce(h.active, 0) + coalesce(h.committed, 0) <> CASE
          WHEN o.status = 'CANCELLED' THEN 0
          ELSE q.quantity - q.cancelled - q.fulfilled
        END
        OR coalesce(h.consumed, 0) < q.fulfilled
      )
    )
    OR coalesce(s.in_shipments, 0) <> i.packed_quantity
    OR coalesce(s.sent, 0) <> i.fulfilled_quantity
    OR coalesce(b.in_returns, 0) <> i.returning_quantity
    OR coalesce(b.back, 0) <> i.returned_quantity;

CREATE VIEW verification.product_orders AS
  SELECT
    merchant_id,
    coalesce(i.order_id, l.order_id)::text AS subject,
    CASE
      WHEN l.order_id IS NULL THEN format('the product %s does not lead to the order that holds it', i.product_id)
      ELSE format('the product %s leads to an order that does not hold it', l.product_id)
    END AS disagreement
  FROM
    (SELECT DISTINCT merchant_id, order_id, product_id FROM ordering.order_item) i
    FULL JOIN ordering.product_order l USING (merchant_id, order_id, product_id)
  WHERE i.order_id IS NULL OR l.order_id IS NULL;

-- A payment gives back no more than it took, and its status tells how much that was.
CREATE VIEW verification.payment_refunds AS
  SELECT
    p.merchant_id,
    p.id::text AS subject,
    format(
      '%s: took %s, gave back %s, asked to give back %s, but its refunds add up to %s and %s',
      p.status,
      p.captured_amount,
      p.refunded_amount,
      p.refund_requested_amount,
      coalesce(r.done, 0),
      coalesce(r.requested, 0)
    ) AS disagreement
  FROM
    payment.payment p
    LEFT JOIN (
      SELECT
        r.merchant_id,
        r.payment_id,
        sum(r.amount) AS requested,
        sum(r.amount) FILTER (WHERE r.status = 'SUCCEEDED') AS done
      FROM payment.refund r
      GROUP BY r.merchant_id, r.payment_id
    ) r
      ON r.merchant_id = p.merchant_id AND r.payment_id = p.id
  WHERE
    coalesce(r.requested, 0) <> p.refund_requested_amount
    OR coalesce(r.done, 0) <> p.refunded_amount
    OR coalesce(r.requested, 0) > p.captured_amount
    OR (p.captured_amount > 0) <> (p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'))
    OR p.captured_amount > 0
    AND p.status <> CASE
      WHEN coalesce(r.done, 0) = 0 THEN 'SUCCEEDED'
      WHEN r.done < p.captured_amount THEN 'PARTIALLY_REFUNDED'
      ELSE 'REFUNDED'
    END;

CREATE VIEW verification.refund_lines AS
  SELECT
    r.merchant_id,
    r.id::text AS subject,
    format('amount %s, but shipping of %s and lines of %s', r.amount, r.shipping_amount, sum(l.amount)) AS disagreement
  FROM
    payment.refund r
    JOIN payment.refund_line l ON l.merchant_id = r.merchant_id AND l.refund_id = r.id
  GROUP BY r.merchant_id, r.id
  HAVING r.amount <> r.shipping_amount + sum(l.amount);

CREATE VIEW verification.refunded_lines AS
  SELECT
    i.merchant_id,
    i.id::text AS subject,
    format(
      'costs %s and counts %s units as refunded, but its refunds are of %s and %s units',
      i.subtotal - i.discount + i.tax,
      i.refunded_quantity,
      sum(l.amount),
      sum(l.quantity)
    ) AS disagreement
  FROM
    ordering.order_item i
    JOIN payment.refund_line l ON l.merchant_id = i.merchant_id AND l.order_item_id = i.id
  GROUP BY i.merchant_id, i.id
  HAVING sum(l.amount) > i.subtotal - i.discount + i.tax OR sum(l.quantity) > i.refunded_quantity;

CREATE VIEW verification.promotion_uses AS
  SELECT
    p.merchant_id,
    p.id::text AS subject,
    format('counts %s uses, but %s orders use it', p.usage_count, coalesce(u.orders, 0)) AS disagreement
  FROM
    promotion.promotion p
    LEFT JOIN (
      SELECT o.merchant_id, o.promotion_id, count(*) AS orders
      FROM ordering.order o
      WHERE o.status <> 'CANCELLED' AND o.promotion_id IS NOT NULL
      GROUP BY o.merchant_id, o.promotion_id
    ) u
      ON u.merchant_id = p.merchant_id AND u.promotion_id = p.id
  WHERE p.usage_count <> coalesce(u.orders, 0);

-- The balance of points is the sum of its entries, also after each of them.
CREATE VIEW verification.loyalty_points AS
  SELECT
    a.merchant_id,
    a.customer_id::text AS subject,
    format(
      '%s points, %s of them ever earned, but the entries add up to %s and %s%s',
      a.points,
      a.points_earned,
      coalesce(e.points, 0),
      coalesce(e.earned, 0),
      CASE
        WHEN NOT e.balances THEN ', and a balance between them is wrong'
      END
    ) AS disagreement
  FROM
    crm.loyalty_account a
    LEFT JOIN (
      SELECT
        x.merchant_id,
        x.customer_id,
        sum(x.points) AS points,
        coalesce(sum(x.points) FILTER (WHERE x.type IN ('EARNED', 'TAKEN_BACK')), 0) AS earned,
        bool_and(x.balance = x.sum) AS balances
      FROM
        (
          SELECT
            y.*,
            sum(y.points) OVER (
              PARTITION BY y.merchant_id, y.customer_id
              ORDER BY y.created_at, y.id
            )
          FROM crm.loyalty_entry y
        ) x
      GROUP BY x.merchant_id, x.customer_id
    ) e
      USING (merchant_id, customer_id)
  WHERE a.points <> coalesce(e.points, 0) OR a.points_earned <> coalesce(e.earned, 0) OR NOT coalesce(e.balances, TRUE);

CREATE VIEW verification.product_prices AS
  SELECT
    p.merchant_id,
    p.id::text AS subject,
    format(
      'sold from %s to %s, but its variants cost from %s to %s; or it does not list their SKUs',
      p.lowest_price,
      p.highest_price,
      coalesce(v.lowest, p.price),
      coalesce(v.highest, p.price)
    ) AS disagreement
  FROM
    catalog.product p
    LEFT JOIN (
      SELECT
        v.merchant_id,
        v.product_id,
        min(coalesce(v.price, p.price)) AS lowest,
        max(coalesce(v.price, p.price)) AS highest,
        string_agg(v.sku, E'\n' ORDER BY v.position, v.id) AS skus
      FROM
        catalog.product_variant v
        JOIN catalog.product p ON p.merchant_id = v.merchant_id AND p.id = v.product_id
      WHERE v.deleted_at IS NULL
      GROUP BY v.merchant_id, v.product_id
    ) v
      ON v.merchant_id = p.merchant_id AND v.product_id = p.id
  WHERE
    (p.lowest_price, p.highest_price, p.variant_skus) <> (
      coalesce(v.lowest, p.price),
      coalesce(v.highest, p.price),
      coalesce(v.skus, '')
    );

CREATE VIEW verification.category_levels AS
  SELECT
    c.merchant_id,
    c.id::text AS subject,
    format('level %s below a parent of level %s', c.level, p.level) AS disagreement
  FROM
    catalog.category c
    LEFT JOIN catalog.category p ON p.merchant_id = c.merchant_id AND p.id = c.parent_id
  WHERE c.level <> coalesce(p.level + 1, 0);

-- A category lists the products of its subcategories as well.
CREATE VIEW verification.category_products AS
  WITH RECURSIVE
    listed AS (
      SELECT l.merchant_id, l.product_id, l.category_id
      FROM catalog.product_category l
      UNION
      SELECT l.merchant_id, l.product_id, c.parent_id
      FROM
        listed l
        JOIN catalog.category c ON c.merchant_id = l.merchant_id AND c.id = l.category_id
      WHERE c.parent_id IS NOT NULL
    )
  SELECT
    merchant_id,
    coalesce(l.category_id, k.category_id)::text AS subject,
    CASE
      WHEN k.category_id IS NULL THEN format('does not list its product %s', l.product_id)
      ELSE format('lists the product %s, which is not in it', k.product_id)
    END AS disagreement
  FROM
    listed l
    FULL JOIN catalog.category_product k USING (merchant_id, category_id, product_id)
  WHERE l.category_id IS NULL OR k.category_id IS NULL;

CREATE VIEW verification.search_documents AS
  SELECT
    merchant_id,
    coalesce(r.id, d.id)::text AS subject,
    CASE
      WHEN d.id IS NULL THEN 'search does not find the ' || r.kind
      ELSE 'search finds a record that does not exist: ' || d.id
    END AS disagreement
  FROM
    (
      SELECT p.merchant_id, p.id, 'product' AS kind
      FROM catalog.product p
      WHERE p.deleted_at IS NULL
      UNION ALL
      SELECT c.merchant_id, c.id, 'category'
      FROM catalog.category c
      UNION ALL
      SELECT a.merchant_id, a.id, 'article'
      FROM search.article a
    ) r
    FULL JOIN (
      SELECT x.merchant_id, coalesce(x.product_id, x.category_id, x.article_id) AS id
      FROM search.document x
    ) d
      USING (merchant_id, id)
  WHERE r.id IS NULL OR d.id IS NULL;

-- Deleting the merchant's rows of search.tallied_scope has its documents counted anew.
CREATE VIEW verification.search_tallies AS
  SELECT
    merchant_id,
    format('%s %s of scope %s', lower(kind), value, scope) AS subject,
    format('search counts %s documents, but %s have it', coalesce(k.count, 0), coalesce(d.count, 0)) AS disagreement
  FROM
    (
      SELECT t.merchant_id, t.scope, t.public, t.kind, t.value, sum(t.count) AS count
      FROM
        (
          SELECT k.merchant_id, k.scope, k.public, k.kind, k.value, k.count
          FROM search.tally k
          UNION ALL
          SELECT c.merchant_id, s.scope, c.public, v.kind, v.value, c.sign
          FROM
            search.tally_change c
            CROSS JOIN LATERAL search.scopes_of_change(c) s
            CROSS JOIN LATERAL search.tallied_values(
              c.type,
              c.status,
              c.lowest_price,
              c.highest_price,
              c.in_stock,
              c.facet_keys
            ) v
        ) t
        JOIN search.tallied_scope m ON m.merchant_id = t.merchant_id AND m.scope = 0 AND m.counted
      GROUP BY t.merchant_id, t.scope, t.public, t.kind, t.value
      HAVING sum(t.count) <> 0
    ) k
    FULL JOIN (
      SELECT d.merchant_id, s.scope, d.public, v.kind, v.value, count(*) AS count
      FROM
        search.document d
        JOIN search.tallied_scope m ON m.merchant_id = d.merchant_id AND m.scope = 0 AND m.counted
        CROSS JOIN LATERAL (
          SELECT c.scope
          FROM search.scopes_of(d.merchant_id, d.facet_keys) c
          UNION ALL
          SELECT unnest(search.word_scopes_of(d.merchant_id, d.words))
        ) s
        CROSS JOIN LATERAL search.tallied_values(
          search.type_of(d),
          d.status,
          d.lowest_price,
          d.highest_price,
          d.in_stock,
          d.facet_keys
        ) v
      GROUP BY d.merchant_id, s.scope, d.public, v.kind, v.value
    ) d
      USING (merchant_id, scope, public, kind, value)
  WHERE
    k.count IS DISTINCT FROM d.count
    -- A word that is still being counted isn't read.
    AND (merchant_id, scope) NOT IN (SELECT w.merchant_id, w.scope FROM search.tallied_scope w WHERE NOT w.counted);

-- A bucket that is marked stale is computed from its rows when it is read, so it can't be wrong.
CREATE VIEW verification.sales_reports AS
  SELECT
    merchant_id,
    format('%s %s %s', bucket, currency, status) AS subject,
    format('the roll-up has %s, but the rows add up to %s', k.figures, f.figures) AS disagreement
  FROM
    (
      SELECT
        r.merchant_id,
        r.bucket,
        r.currency,
        r.status,
        ARRAY[
          r.placed,
          r.cancelled,
          r.orders,
          r.units,
          r.gross,
          r.discount,
          r.uncaptured,
          r.shipping,
          r.tax,
          r.total,
          r.refunds,
          r.refunded
        ]::numeric[] AS figures
      FROM analytics.sales_rollup r
    ) k
    FULL JOIN (
      SELECT
        m.id AS merchant_id,
        analytics.bucket_of(f.at) AS bucket,
        f.currency,
        f.status,
        ARRAY[
          sum(f.placed),
          sum(f.cancelled),
          sum(f.orders),
          sum(f.units),
          sum(f.gross),
          sum(f.discount),
          sum(f.uncaptured),
          sum(f.shipping),
          sum(f.tax),
          sum(f.total),
          sum(f.refunds),
          sum(f.refunded)
        ] AS figures
      FROM
        merchant.merchant m
        CROSS JOIN LATERAL analytics.sales_facts(m.id, '-infinity', 'infinity') f
      GROUP BY m.id, analytics.bucket_of(f.at), f.currency, f.status
    ) f
      USING (merchant_id, bucket, currency, status)
  WHERE
    k.figures IS DISTINCT FROM f.figures
    AND NOT EXISTS (
      SELECT
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = coalesce(k.merchant_id, f.merchant_id) AND s.bucket = coalesce(k.bucket, f.bucket)
    );

CREATE VIEW verification.product_reports AS
  SELECT
    merchant_id,
    format('%s %s %s', bucket, product_id, currency) AS subject,
    format('the roll-up has %s, but the rows add up to %s', k.figures, f.figures) AS disagreement
  FROM
    (
      SELECT
        r.merchant_id,
        r.bucket,
        r.product_id,
        r.currency,
        ARRAY[r.orders, r.units, r.gross, r.discount, r.uncaptured, r.tax]::numeric[] AS figures
      FROM analytics.product_rollup r
    ) k
    FULL JOIN (
      SELECT
        m.id AS merchant_id,
        analytics.bucket_of(f.at) AS bucket,
        f.product_id,
        f.currency,
        ARRAY[sum(f.orders), sum(f.units), sum(f.gross), sum(f.discount), sum(f.uncaptured), sum(f.tax)] AS figures
      FROM
        merchant.merchant m
        CROSS JOIN LATERAL analytics.product_facts(m.id, '-infinity', 'infinity') f
      GROUP BY m.id, analytics.bucket_of(f.at), f.product_id, f.currency
    ) f
      USING (merchant_id, bucket, product_id, currency)
  WHERE
    k.figures IS DISTINCT FROM f.figures
    AND NOT EXISTS (
      SELECT
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = coalesce(k.merchant_id, f.merchant_id) AND s.bucket = coalesce(k.bucket, f.bucket)
    );

CREATE VIEW verification.stock_reports AS
  SELECT
    merchant_id,
    format('%s %s', bucket, product_id) AS subject,
    format('the roll-up has %s, but the rows add up to %s', k.figures, f.figures) AS disagreement
  FROM
    (
      SELECT r.merchant_id, r.bucket, r.product_id, ARRAY[r.received, r.removed, r.moved]::numeric[] AS figures
      FROM analytics.stock_rollup r
    ) k
    FULL JOIN (
      SELECT
        m.id AS merchant_id,
        analytics.bucket_of(f.at) AS bucket,
        f.product_id,
        ARRAY[sum(f.received), sum(f.removed), sum(f.moved)] AS figures
      FROM
        merchant.merchant m
        CROSS JOIN LATERAL analytics.stock_facts(m.id, '-infinity', 'infinity') f
      GROUP BY m.id, analytics.bucket_of(f.at), f.product_id
    ) f
      USING (merchant_id, bucket, product_id)
  WHERE
    k.figures IS DISTINCT FROM f.figures
    AND NOT EXISTS (
      SELECT
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = coalesce(k.merchant_id, f.merchant_id) AND s.bucket = coalesce(k.bucket, f.bucket)
    );

CREATE VIEW verification.first_purchases AS
  SELECT
    merchant_id,
    customer_id::text AS subject,
    format('the first purchase is noted at %s, but was at %s', f.paid_at, o.paid_at) AS disagreement
  FROM
    analytics.first_purchase f
    FULL JOIN (
      SELECT o.merchant_id, o.customer_id, min(o.paid_at) AS paid_at
      FROM ordering.order o
      WHERE o.paid_at IS NOT NULL
      GROUP BY o.merchant_id, o.customer_id
    ) o
      USING (merchant_id, customer_id)
  WHERE f.paid_at IS DISTINCT FROM o.paid_at;

CREATE VIEW verification.file_bytes AS
  SELECT
    u.merchant_id,
    'files' AS subject,
    format('usage %s bytes, but the files have %s', u.bytes, coalesce(f.bytes, 0)) AS disagreement
  FROM
    files.usage u
    LEFT JOIN (SELECT x.merchant_id, sum(x.stored_bytes) AS bytes FROM files.file x GROUP BY x.merchant_id) f
      USING (merchant_id)
  WHERE u.bytes <> coalesce(f.bytes, 0);

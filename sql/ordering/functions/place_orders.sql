-- Places orders that were asked for at the same time, in one transaction, and answers for each in turn.
--
-- p_requests: a list of objects, each with `order` as ordering.prepare takes it, or with `checkout` as
-- ordering.order_of_cart does; all of one kind. Each has `recordIds`, the records that it names, and its `entry` of the
-- audit log (audit.append_done). One with an Idempotency-Key also has `key`, as platform.keyed_request. Such a request
-- is answered at most once: what it was answered before is `repeated`.
--
-- An order that another one of the list could change the answer of is left for a later list: of the same customer (or
-- guest's address), cart, reservation or Idempotency-Key. One that costs nothing is placed by itself. Of those that are
-- new, one at least is never left.
--
-- type ordering.placed_answer = ordering.placement_answer() | unknown_cart {} | expired {} | empty {}
-- answers:
--   (new {response: ordering.placed_answer}
--   | repeated {response: ordering.placed_answer}
--   | conflict {forgotten: boolean}
--   | later {})[]
CREATE FUNCTION ordering.place_orders(p_merchant_id uuid, p_requests jsonb, p_pay jsonb)
RETURNS jsonb
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan -- as ordering.place_order
AS $$
DECLARE
  v_recalled jsonb[] := platform.recall_all(p_requests);
  v_orders jsonb[];
  v_promotions promotion.promotion[];
  v_responses jsonb[];
  v_next record;
  v_placement ordering.placement;
  v_places integer[] := '{}';
  v_placements ordering.placement[] := '{}';
  v_taken text[] := '{}';
  v_placed record;
BEGIN
  -- What the merchant keeps with a cart's lines was checked when it was written. A younger definition stops no
  -- checkout.
  PERFORM
    set_config(
      'metadata.checked',
      CASE
        WHEN p_requests -> 0 ? 'checkout' THEN 'on'
        ELSE ''
      END,
      TRUE
    );
  v_orders := ordering.lock_orders(
    p_merchant_id,
    p_requests,
    ARRAY(
      SELECT
        v_recalled[r.ordinality] ->> 'outcome' = 'new' AND (r.value ? 'checkout') = (p_requests -> 0 ? 'checkout')
      FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS r
      ORDER BY r.ordinality
    )
  );
  v_promotions := ordering.lock_named(p_merchant_id, v_orders);
  FOR v_next IN SELECT
    o.position::integer,
    o.asked,
    array_agg(l ORDER BY l.position) AS lines
  FROM
    unnest(v_orders) WITH ORDINALITY AS o (asked, position)
    LEFT JOIN LATERAL catalog.sellable_lines(p_merchant_id, o.asked -> 'lines', o.asked ->> 'currency') l ON TRUE
  WHERE o.asked IS NOT NULL
  GROUP BY o.position, o.asked
  ORDER BY o.position LOOP
    IF v_next.asked ? 'outcome' THEN
      v_responses[v_next.position] := v_next.asked;
      CONTINUE;
    END IF;
    CONTINUE WHEN v_taken <> '{}' AND ordering.affected_by(p_merchant_id, v_next.asked) && v_taken;
    v_placement := ordering.prepare(p_merchant_id, v_next.asked, v_next.lines, v_promotions);
    -- It is confirmed at once, which locks its products: two could lock theirs in another order than two others.
    IF (v_placement.pricing).total = 0 THEN
      CONTINUE WHEN v_places <> '{}';
      v_places := ARRAY[v_next.position];
      v_placements := ARRAY[v_placement];
      EXIT;
    END IF;
    v_places := v_places || v_next.position;
    v_placements := v_placements || v_placement;
    v_taken := v_taken || ordering.affects(v_next.asked);
  END LOOP;
  FOR v_placed IN SELECT p.*
  FROM unnest(ordering.place_prepared(p_merchant_id, v_placements, p_pay)) WITH ORDINALITY AS p LOOP
    v_responses[v_places[v_placed.ordinality]] := ordering.placement_answer(
      v_placed.order_id,
      v_placed.refusals,
      v_placed.shortages
    );
  END LOOP;
  PERFORM set_config('metadata.checked', '', TRUE);
  PERFORM platform.remember_all(p_requests, v_responses, ARRAY['placed']);
  PERFORM audit.append_done(p_requests, v_responses, ARRAY['placed']);
  RETURN coalesce(
    (
      SELECT
        jsonb_agg(
          CASE
            WHEN v_responses[n] IS NOT NULL THEN jsonb_build_object('outcome', 'new', 'response', v_responses[n])
            WHEN v_recalled[n] ->> 'outcome' = 'repeated' THEN jsonb_build_object(
              'outcome',
              'repeated',
              'response',
              v_recalled[n] -> 'response'
            )
            WHEN v_recalled[n] ->> 'outcome' = 'conflict' THEN jsonb_build_object(
              'outcome',
              'conflict',
              'forgotten',
              v_recalled[n] -> 'forgotten'
            )
            ELSE jsonb_build_object('outcome', 'later')
          END
          ORDER BY n
        )
      FROM generate_series(1, cardinality(v_recalled)) n
    ),
    '[]'
  );
END;
$$;

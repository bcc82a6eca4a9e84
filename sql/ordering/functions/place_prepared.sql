-- Places the orders that were prepared and can be placed, together, and returns all, with what is missing. If there is
-- not enough stock for all of them, they take their units one after the other, and those that find too few are not
-- placed.
CREATE FUNCTION ordering.place_prepared(p_merchant_id uuid, p_placements ordering.placement[], p_pay jsonb)
RETURNS ordering.placement[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_placements ordering.placement[] := p_placements;
  v_accepted integer[] := ARRAY(
    SELECT p.ordinality FROM unnest(p_placements) WITH ORDINALITY AS p WHERE p.refusals = '[]' ORDER BY p.ordinality
  );
  v_claims inventory.claim[];
  v_shortages jsonb;
  v_ready ordering.placement[];
BEGIN
  IF v_accepted <> '{}' THEN
    v_claims := ordering.claims_of(p_merchant_id, p_placements);
    v_shortages := inventory.hold(p_merchant_id, v_claims);
    IF v_shortages IS NOT NULL THEN
      -- The levels of all claims are locked now, so the order in which they are looked at again doesn't matter.
      FOR i IN 1..cardinality(v_claims) LOOP
        IF cardinality(v_claims) > 1 THEN
          v_shortages := inventory.hold(p_merchant_id, v_claims[i:i]);
        END IF;
        v_placements[v_accepted[i]].shortages := ordering.shortages_at(v_shortages, v_placements[v_accepted[i]].lines);
      END LOOP;
    END IF;
    v_ready := ARRAY(SELECT p FROM unnest(v_placements) p WHERE p.refusals = '[]' AND p.shortages IS NULL);
    IF v_ready <> '{}' THEN
      PERFORM ordering.write_orders(p_merchant_id, v_ready);
      PERFORM ordering.confirm_order(p_merchant_id, r.order_id, jsonb_build_object('pay', p_pay))
      FROM unnest(v_ready) r
      WHERE (r.pricing).total = 0;
    END IF;
  END IF;
  RETURN v_placements;
END;
$$;

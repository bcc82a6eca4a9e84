CREATE FUNCTION promotion.choose(
  p_purchase promotion.purchase,
  p_own promotion.promotion,
  p_own_refusal text,
  p_others promotion.promotion[]
)
RETURNS promotion.choice
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_choice promotion.choice;
  v_other promotion.promotion;
  v_discount promotion.discount;
  v_amount numeric;
  v_most numeric := 0;
BEGIN
  v_choice.own_refusal := p_own_refusal;
  IF p_purchase.product_ids IS NULL THEN
    RETURN v_choice;
  END IF;
  IF p_own.id IS NOT NULL AND p_own_refusal IS NULL THEN
    v_discount := promotion.discount_on(p_own, p_purchase);
    v_choice.own_refusal := v_discount.refusal;
    IF v_discount.refusal IS NULL THEN
      v_most := v_discount.shipping + (SELECT sum(x) FROM unnest(v_discount.lines) x);
      v_choice := ROW(NULL, p_own.id, p_own.name, v_discount.lines, v_discount.shipping)::promotion.choice;
    END IF;
  END IF;
  FOREACH v_other IN ARRAY p_others LOOP
    CONTINUE WHEN
      v_other.code IS NOT NULL
      OR v_other.id = p_own.id
      OR promotion.use_refusal(v_other, p_purchase) IS NOT NULL;
    v_discount := promotion.discount_on(v_other, p_purchase);
    v_amount := v_discount.shipping + (SELECT sum(x) FROM unnest(v_discount.lines) x);
    IF v_amount > v_most THEN
      v_most := v_amount;
      v_choice := ROW(
        v_choice.own_refusal,
        v_other.id,
        v_other.name,
        v_discount.lines,
        v_discount.shipping
      )::promotion.choice;
    END IF;
  END LOOP;
  RETURN v_choice;
END;
$$;

DROP FUNCTION platform.refuse_card_numbers() CASCADE;
DROP FUNCTION platform.holds_card_number(text);
DROP FUNCTION platform.is_barcode(text);

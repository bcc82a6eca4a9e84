DROP FUNCTION catalog.line_refusals(catalog.sellable_line[], text);
DROP FUNCTION catalog.sellable_lines(uuid, jsonb, text);
DROP TYPE catalog.sellable_line;

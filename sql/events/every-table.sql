-- A source whose id is no column of its table has a trigger of its own.
SELECT events.watch(s)
FROM events.source s
WHERE
  EXISTS (
    SELECT
    FROM pg_attribute a
    WHERE a.attrelid = s.table_name::regclass AND a.attname = s.id_column AND NOT a.attisdropped
  );

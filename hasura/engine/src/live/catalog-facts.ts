/** What the database's catalog says of a table or view, or of a composite type, which has no rows. */
export interface RelationFacts {
  readonly oid: string
  readonly isView: boolean
  readonly isType: boolean
  /** Whether a view reads with the rights of who asks, whom row security then knows. */
  readonly isInvoker: boolean
  /** The policies of row security for the present user; null where there is none for them. */
  readonly policies: readonly string[] | null
  /** Whether the partition column is there, and its values have one text. */
  readonly isPartitioned: boolean
  readonly readsClock: boolean
  readonly relations: readonly string[]
  readonly functions: readonly string[]
}

/** What it says of a function. */
export interface FunctionFacts {
  readonly oid: string
  readonly isVolatile: boolean
  readonly isDefiner: boolean
  /** Whether it runs text as SQL, or is in a language whose text isn't read. */
  readonly isOpaque: boolean
  readonly readsClock: boolean
  readonly relations: readonly string[]
  readonly functions: readonly string[]
}

/** Of Postgres' functions, those whose result changes though no row does. Views have them by number. */
const clock = `clock (functions) AS MATERIALIZED (
  SELECT ':(func|opfunc)id (' || string_agg(p.oid::text, '|') || ') |SQLVALUEFUNCTION :op [0-8] '
  FROM pg_proc p
  WHERE
    p.pronamespace = 'pg_catalog'::regnamespace
    AND (
      p.provolatile = 'v'
      OR p.proname IN ('now', 'transaction_timestamp', 'statement_timestamp')
      OR (p.proname = 'age' AND p.pronargs = 1)
    )
)`

/** Parameters: schemas and names of relations, and of functions. */
export const oidsOfNames = `
  SELECT 'relation' AS kind, c.oid::text AS oid
  FROM unnest($1::text[], $2::text[]) AS n (schema, name)
    JOIN pg_namespace s ON s.nspname = n.schema
    JOIN pg_class c ON c.relnamespace = s.oid AND c.relname = n.name
  UNION ALL
  SELECT 'function', p.oid::text
  FROM unnest($3::text[], $4::text[]) AS n (schema, name)
    JOIN pg_namespace s ON s.nspname = n.schema
    JOIN pg_proc p ON p.pronamespace = s.oid AND p.proname = n.name`

/** Parameters: oids, and the partition column. A view's rule and the policies of a table name what they read. */
export const relationFacts = `
  WITH ${clock}
  SELECT
    c.oid::text AS oid,
    c.relkind = 'v' AS "isView",
    c.relkind = 'c' AS "isType",
    coalesce(
      (SELECT o.option_value::boolean FROM pg_options_to_table(c.reloptions) o WHERE o.option_name = 'security_invoker'),
      false
    ) AS "isInvoker",
    CASE WHEN row_security_active(c.oid) THEN ARRAY(
      SELECT coalesce(pg_get_expr(p.polqual, p.polrelid), 'true')
      FROM pg_policy p
      WHERE
        p.polrelid = c.oid
        AND p.polpermissive
        AND p.polcmd IN ('*', 'r')
        AND EXISTS (SELECT FROM unnest(p.polroles) r WHERE r = 0 OR pg_has_role(r, 'USAGE'))
    ) END AS policies,
    EXISTS (
      SELECT
      FROM pg_attribute a
      WHERE
        a.attrelid = c.oid
        AND a.attname = $2
        AND NOT a.attisdropped
        AND a.atttypid IN ('uuid'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype)
    ) AS "isPartitioned",
    EXISTS (
      SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid AND c.relkind = 'v' AND r.ev_action::text ~ clock.functions
    ) OR EXISTS (
      SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polqual::text ~ clock.functions
    ) AS "readsClock",
    ARRAY(
      SELECT DISTINCT d.refobjid::text
      FROM pg_depend d
      WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid AND (d.classid, d.objid) IN (
        SELECT 'pg_rewrite'::regclass, r.oid FROM pg_rewrite r WHERE r.ev_class = c.oid
        UNION ALL
        SELECT 'pg_policy'::regclass, p.oid FROM pg_policy p WHERE p.polrelid = c.oid
      )
    ) AS relations,
    ARRAY(
      SELECT DISTINCT d.refobjid::text
      FROM pg_depend d
      WHERE d.refclassid = 'pg_proc'::regclass AND (d.classid, d.objid) IN (
        SELECT 'pg_rewrite'::regclass, r.oid FROM pg_rewrite r WHERE r.ev_class = c.oid
        UNION ALL
        SELECT 'pg_policy'::regclass, p.oid FROM pg_policy p WHERE p.polrelid = c.oid
      )
    ) AS functions
  FROM pg_class c, clock
  WHERE c.oid = ANY ($1::text[]::oid[])`

/** Whether a word of a function's text means the object of schema `n`. */
const isMeant = `(
  n.nspname = w.place
  OR (
    w.place IS NULL
    AND (n.nspname = ANY (current_schemas(true)) OR EXISTS (SELECT FROM unnest(p.proconfig) c WHERE c ~ '^search_path='))
  )
)`

/**
 * Parameter: oids. Postgres doesn't keep what a function's text names, so each word of it that is a table or a function counts,
 * with its schema or on the search path. That may be too much, and is never too little, unless the text runs text.
 */
export const functionFacts = `
  WITH ${clock},
  words (function, place, word) AS MATERIALIZED (
    SELECT DISTINCT p.oid, m[1], m[2]
    FROM
      pg_proc p,
      regexp_matches(
        lower(replace(p.prosrc, '"', '')),
        '(?:([^[:space:][:punct:]][^\\s.,;:()\\[\\]+*/<>=~!@#%^&|\`?''-]*)\\s*\\.\\s*)?' ||
          '([^\\s.,;:()\\[\\]+*/<>=~!@#%^&|\`?''-]+)',
        'g'
      ) m
    WHERE p.oid = ANY ($1::text[]::oid[]) AND p.prosqlbody IS NULL
  )
  SELECT
    p.oid::text AS oid,
    p.provolatile = 'v' AS "isVolatile",
    p.prosecdef AS "isDefiner",
    l.lanname NOT IN ('sql', 'plpgsql', 'c', 'internal') OR (
      l.lanname = 'plpgsql' AND EXISTS (SELECT FROM words w WHERE w.function = p.oid AND w.word = 'execute')
    ) AS "isOpaque",
    coalesce(p.prosqlbody::text ~ clock.functions, false) OR (
      l.lanname IN ('sql', 'plpgsql') AND EXISTS (
        SELECT
        FROM words w
        WHERE
          w.function = p.oid
          AND (
            w.word IN ('current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp', 'today',
              'tomorrow', 'yesterday', 'now', 'transaction_timestamp', 'statement_timestamp', 'age')
            OR EXISTS (
              SELECT FROM pg_proc b
              WHERE b.pronamespace = 'pg_catalog'::regnamespace AND b.proname = w.word AND b.provolatile = 'v'
            )
          )
      )
    ) AS "readsClock",
    ARRAY(
      SELECT d.refobjid::text
      FROM pg_depend d
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_class'::regclass
      UNION
      SELECT c.oid::text
      FROM words w
        JOIN pg_class c ON lower(c.relname) = w.word AND c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
        JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE w.function = p.oid AND l.lanname IN ('sql', 'plpgsql') AND ${isMeant}
    ) AS relations,
    ARRAY(
      SELECT d.refobjid::text
      FROM pg_depend d
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_proc'::regclass
      UNION
      SELECT f.oid::text
      FROM words w
        JOIN pg_proc f ON lower(f.proname) = w.word AND f.oid <> p.oid
        JOIN pg_namespace n ON n.oid = f.pronamespace
      WHERE
        w.function = p.oid
        AND l.lanname IN ('sql', 'plpgsql')
        AND n.nspname <> 'pg_catalog'
        AND ${isMeant}
    ) AS functions
  FROM clock, pg_proc p
    JOIN pg_language l ON l.oid = p.prolang
  WHERE p.oid = ANY ($1::text[]::oid[])`

/** A number that is different when a view, a function, a policy or what is published is. */
export const schemaFingerprint = `
  SELECT md5(string_agg(part, ' ')) AS fingerprint
  FROM (
    SELECT count(*) || ':' || coalesce(sum(r.xmin::text::bigint * (r.oid::bigint % 997)), 0) AS part FROM pg_rewrite r
    UNION ALL
    SELECT count(*) || ':' || coalesce(sum(p.xmin::text::bigint * (p.oid::bigint % 997)), 0) FROM pg_proc p
    UNION ALL
    SELECT count(*) || ':' || coalesce(sum(p.xmin::text::bigint * (p.oid::bigint % 997)), 0) FROM pg_policy p
    UNION ALL
    SELECT count(*) || ':' || coalesce(sum(p.xmin::text::bigint * (p.oid::bigint % 997)), 0) FROM pg_publication_rel p
    UNION ALL
    SELECT count(*) || ':' || coalesce(sum(p.xmin::text::bigint * (p.oid::bigint % 997)), 0) FROM pg_publication p
    UNION ALL
    SELECT count(*) || ':' || coalesce(sum(i.inhrelid::bigint), 0) FROM pg_inherits i
    UNION ALL
    SELECT string_agg(relrowsecurity::text || relforcerowsecurity::text || relowner::text, '' ORDER BY oid)
    FROM pg_class WHERE relkind = 'r' AND relrowsecurity
  ) parts`

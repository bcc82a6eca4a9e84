-- Everything the engine needs to know about the user's schemas, as one JSON document.
-- Types are listed once, by oid, and everything else refers to them: columns repeat the same few types.
-- System schemas and Hasura's own are left out, and so are functions that belong to an extension: none of
-- them can take or return a row of a user's table, which is what tracking needs.
with recursive
  schemas as (
    select oid, nspname
    from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'hdb_catalog', 'hdb_lib', 'hdb_views')
  ),
  relations as (
    select c.oid, s.nspname as schema, c.relname as name, c.relkind,
      obj_description(c.oid, 'pg_class') as comment,
      -- Which commands Postgres accepts on a view: bits 2 (update), 3 (insert) and 4 (delete).
      case when c.relkind in ('v', 'm') then pg_relation_is_updatable(c.oid, true) else 28 end as commands
    from pg_class c
    join schemas s on s.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f')
  ),
  attributes as (
    select a.attrelid, a.attnum, a.attname, a.atttypid, a.attnotnull, a.atthasdef, a.attidentity,
      a.attgenerated, col_description(a.attrelid, a.attnum) as comment
    from pg_attribute a
    join relations r on r.oid = a.attrelid
    where a.attnum > 0 and not a.attisdropped
  ),
  routines as (
    select p.oid, s.nspname as schema, p.proname as name, p.provolatile, p.proretset, p.prorettype,
      p.provariadic <> 0 as "variadic", p.pronargdefaults, p.proargmodes, p.proargnames,
      coalesce(p.proallargtypes, p.proargtypes::oid[]) as argument_types,
      obj_description(p.oid, 'pg_proc') as comment
    from pg_proc p
    join schemas s on s.oid = p.pronamespace
    where p.prokind = 'f'
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      )
  ),
  used_types (oid) as (
    select atttypid from attributes
    union
    select prorettype from routines
    union
    select unnest(argument_types) from routines
  ),
  -- An array needs its element, a domain its base.
  types (oid) as (
    select oid from used_types
    union
    select inner_type.oid
    from types
    join pg_type t on t.oid = types.oid
    cross join lateral (
      values (case when t.typcategory = 'A' then t.typelem else 0 end), (t.typbasetype)
    ) as inner_type (oid)
    where inner_type.oid <> 0
  )
select json_build_object(
  'serverVersion', current_setting('server_version_num')::int,
  -- What an action's types may use beside GraphQL's own scalars, under Hasura's names.
  'scalars', (
    select json_agg(distinct case typname when 'int2' then 'smallint' when 'int8' then 'bigint' else typname end)
    from pg_type where typtype = 'b' and typcategory <> 'A'
  ),
  'types', (
    select coalesce(json_agg(json_build_object(
      'oid', t.oid::bigint, 'schema', n.nspname, 'name', t.typname, 'kind', t.typtype,
      'element', case when t.typcategory = 'A' then t.typelem::bigint else 0 end,
      'base', t.typbasetype::bigint,
      'relation', t.typrelid::bigint,
      'labels', case when t.typtype = 'e' then (
        select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid
      ) end
    )), '[]')
    from types join pg_type t using (oid) join pg_namespace n on n.oid = t.typnamespace
  ),
  'relations', (
    select coalesce(json_agg(json_build_object(
      'oid', oid::bigint, 'schema', schema, 'name', name, 'kind', relkind, 'comment', comment,
      'commands', commands
    ) order by schema, name), '[]')
    from relations
  ),
  'columns', (
    select coalesce(json_agg(json_build_object(
      'relation', attrelid::bigint, 'position', attnum, 'name', attname, 'type', atttypid::bigint,
      'nullable', not attnotnull, 'hasDefault', atthasdef, 'identity', attidentity,
      'generated', attgenerated <> '', 'comment', comment
    ) order by attrelid, attnum), '[]')
    from attributes
  ),
  'keys', (
    -- Unique indexes without a constraint are among them: Hasura offers them for on_conflict, too.
    select coalesce(json_agg(json_build_object(
      'relation', i.indrelid::bigint, 'name', c.relname, 'primary', i.indisprimary,
      'columns', (
        select coalesce(json_agg(a.attname order by k.ordinality), '[]')
        from unnest(i.indkey::int[]) with ordinality as k (attnum, ordinality)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
        where k.ordinality <= i.indnkeyatts
      )
    ) order by i.indrelid, c.relname), '[]')
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join relations r on r.oid = i.indrelid
    where i.indisunique
  ),
  'foreignKeys', (
    select coalesce(json_agg(json_build_object(
      'relation', f.conrelid::bigint, 'name', f.conname,
      'refSchema', n.nspname, 'refTable', rc.relname,
      'columns', (
        select json_agg(a.attname order by k.ordinality)
        from unnest(f.conkey) with ordinality as k (attnum, ordinality)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum
      ),
      'refColumns', (
        select json_agg(a.attname order by k.ordinality)
        from unnest(f.confkey) with ordinality as k (attnum, ordinality)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum
      )
    ) order by f.conrelid, f.conname), '[]')
    from pg_constraint f
    join relations r on r.oid = f.conrelid
    join pg_class rc on rc.oid = f.confrelid
    join pg_namespace n on n.oid = rc.relnamespace
    where f.contype = 'f'
  ),
  'checks', (
    select coalesce(json_agg(json_build_object(
      'relation', c.conrelid::bigint, 'name', c.conname, 'expression', pg_get_constraintdef(c.oid, true)
    ) order by c.conrelid, c.conname), '[]')
    from pg_constraint c
    join relations r on r.oid = c.conrelid
    where c.contype = 'c'
  ),
  'functions', (
    select coalesce(json_agg(json_build_object(
      'oid', oid::bigint, 'schema', schema, 'name', name, 'volatility', provolatile,
      'returnsSet', proretset, 'returns', prorettype::bigint, 'variadic', "variadic",
      'defaults', pronargdefaults, 'argumentTypes', argument_types::bigint[],
      'argumentModes', proargmodes::text[], 'argumentNames', proargnames, 'comment', comment
    ) order by schema, name, oid), '[]')
    from routines
  )
)::text as catalog

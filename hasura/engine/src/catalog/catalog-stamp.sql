-- A short text that is another one after each change of what introspection.sql reads. A changed row of a system catalog
-- is a new one, of the transaction that has changed it (xmin). Postgres' own objects have oids below 16384, and don't
-- change. Other changes, such as an index that isn't unique, make it another one, too.
with rows (catalog, writer) as (
  select 'namespace', xmin from pg_namespace
  union all
  select 'class', xmin from pg_class where oid >= 16384
  union all
  select 'attribute', xmin from pg_attribute where attrelid >= 16384 and attnum > 0
  union all
  select 'index', xmin from pg_index where indrelid >= 16384
  union all
  select 'constraint', xmin from pg_constraint where oid >= 16384
  union all
  select 'type', xmin from pg_type where oid >= 16384
  union all
  select 'enum', xmin from pg_enum
  union all
  select 'proc', xmin from pg_proc where oid >= 16384
  union all
  select 'description', xmin from pg_description where objoid >= 16384
  union all
  -- Rules and triggers make views writable.
  select 'rewrite', xmin from pg_rewrite where ev_class >= 16384
  union all
  select 'trigger', xmin from pg_trigger where not tgisinternal
  union all
  -- Functions of extensions are left out.
  select 'extension', xmin from pg_depend where deptype = 'e'
)
-- Few transactions have written many rows, so they are counted before anything is computed of them.
select concat_ws(' ', current_setting('server_version_num'), string_agg(of_catalog, ' ' order by of_catalog)) as stamp
from (
  select concat_ws(':', catalog, sum(written), sum(hashint8extended(writer::text::bigint, written))) as of_catalog
  from (select catalog, writer, count(*) as written from rows group by catalog, writer) as writers
  group by catalog
) as stamps;

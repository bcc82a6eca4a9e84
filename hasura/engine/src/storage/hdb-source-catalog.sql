-- What Hasura 2.x (source catalog version 3) keeps beside the data of a source: the events that triggers have
-- written and what became of them. Names, columns and types are Hasura's; it reads and writes the same rows.

create or replace function hdb_catalog.gen_hasura_uuid() returns uuid as 'select gen_random_uuid()' language sql;

create table if not exists hdb_catalog.hdb_source_catalog_version (
  version text not null,
  upgraded_on timestamptz not null
);

create unique index if not exists hdb_source_catalog_version_one_row
  on hdb_catalog.hdb_source_catalog_version ((version is not null));

-- Times without a zone are of the time zone that the server has for sessions; created_at, which any session writes, is UTC.
create table if not exists hdb_catalog.event_log (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  schema_name text not null,
  table_name text not null,
  trigger_name text not null,
  payload jsonb not null,
  delivered boolean not null default false,
  error boolean not null default false,
  tries integer not null default 0,
  created_at timestamp default now(),
  -- Since when an engine has been delivering it; null: no engine is.
  locked timestamptz,
  next_retry_at timestamp,
  archived boolean not null default false
);

create index if not exists event_log_trigger_name_idx on hdb_catalog.event_log (trigger_name);

create index if not exists event_log_fetch_events
  on hdb_catalog.event_log (locked nulls first, next_retry_at nulls first, created_at)
  where delivered = 'f' and error = 'f' and archived = 'f';

create table if not exists hdb_catalog.event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text,
  event_id text,
  status integer,
  request json,
  response json,
  created_at timestamp default now()
);

create index if not exists event_invocation_logs_event_id_idx on hdb_catalog.event_invocation_logs (event_id);

create table if not exists hdb_catalog.hdb_event_log_cleanups (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text not null,
  scheduled_at timestamp not null,
  deleted_event_logs integer,
  deleted_event_invocation_logs integer,
  status text not null check (status in ('scheduled', 'paused', 'completed', 'dead')),
  unique (trigger_name, scheduled_at)
);

insert into hdb_catalog.hdb_source_catalog_version (version, upgraded_on) values ('3', now()) on conflict do nothing;

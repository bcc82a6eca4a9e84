-- The tables in which Hasura 2.x (catalog version 48) keeps what it knows, as it creates them itself: a
-- database can move between the two engines, and hasura-cli finds its migrations in hdb_version.cli_state.

create schema if not exists hdb_catalog;

create or replace function hdb_catalog.gen_hasura_uuid() returns uuid as 'select gen_random_uuid()' language sql;

create table if not exists hdb_catalog.hdb_version (
  hasura_uuid uuid primary key default hdb_catalog.gen_hasura_uuid(),
  version text not null,
  upgraded_on timestamptz not null,
  cli_state jsonb not null default '{}'::jsonb,
  console_state jsonb not null default '{}'::jsonb,
  ee_client_id text,
  ee_client_secret text
);

create unique index if not exists hdb_version_one_row on hdb_catalog.hdb_version ((version is not null));

create table if not exists hdb_catalog.hdb_metadata (
  id integer primary key,
  metadata json not null,
  resource_version integer not null default 1 unique
);

-- Written by the instance that changed the metadata, polled by every other instance.
create table if not exists hdb_catalog.hdb_schema_notifications (
  id integer primary key check (id = 1),
  notification json not null,
  resource_version integer not null default 1,
  instance_id uuid not null,
  updated_at timestamptz default now()
);

create table if not exists hdb_catalog.hdb_action_log (
  id uuid primary key default hdb_catalog.gen_hasura_uuid(),
  action_name text,
  input_payload jsonb not null,
  request_headers jsonb not null,
  session_variables jsonb not null,
  response_payload jsonb,
  errors jsonb,
  created_at timestamptz not null default now(),
  response_received_at timestamptz,
  status text not null check (status in ('created', 'processing', 'completed', 'error'))
);

create table if not exists hdb_catalog.hdb_cron_events (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text not null,
  scheduled_time timestamptz not null,
  status text not null default 'scheduled',
  tries integer not null default 0,
  created_at timestamptz default now(),
  next_retry_at timestamptz,
  constraint valid_status check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead'))
);

create index if not exists hdb_cron_event_status on hdb_catalog.hdb_cron_events (status);

create unique index if not exists hdb_cron_events_unique_scheduled
  on hdb_catalog.hdb_cron_events (trigger_name, scheduled_time) where status = 'scheduled';

create table if not exists hdb_catalog.hdb_cron_event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  event_id text references hdb_catalog.hdb_cron_events (id) on update cascade on delete cascade,
  status integer,
  request json,
  response json,
  created_at timestamptz default now()
);

create index if not exists hdb_cron_event_invocation_event_id
  on hdb_catalog.hdb_cron_event_invocation_logs (event_id);

create table if not exists hdb_catalog.hdb_scheduled_events (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  webhook_conf json not null,
  scheduled_time timestamptz not null,
  retry_conf json,
  payload json,
  header_conf json,
  status text not null default 'scheduled',
  tries integer not null default 0,
  created_at timestamptz default now(),
  next_retry_at timestamptz,
  comment text,
  constraint valid_status check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead'))
);

create index if not exists hdb_scheduled_event_status on hdb_catalog.hdb_scheduled_events (status);

create table if not exists hdb_catalog.hdb_scheduled_event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  event_id text references hdb_catalog.hdb_scheduled_events (id) on update cascade on delete cascade,
  status integer,
  request json,
  response json,
  created_at timestamptz default now()
);

insert into hdb_catalog.hdb_version (version, upgraded_on) values ('48', now()) on conflict do nothing;

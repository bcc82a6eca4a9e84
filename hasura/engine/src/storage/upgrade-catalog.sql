-- What brings the catalog of an earlier Hasura 2 (versions 44 to 47, of a source 1 and 2) to that of 48 and 3, beside what is
-- created where it is absent. Hasura's own migrations do the same, and nothing here is done twice.

alter table hdb_catalog.hdb_version
  add column if not exists ee_client_id text,
  add column if not exists ee_client_secret text;

update hdb_catalog.hdb_version set version = '48', upgraded_on = now() where version::numeric < 48;

drop index if exists
  hdb_catalog.event_log_locked_idx, hdb_catalog.event_log_delivered_idx, hdb_catalog.event_log_created_at_idx;

alter table hdb_catalog.event_invocation_logs
  add column if not exists trigger_name text,
  drop constraint if exists event_invocation_logs_event_id_fkey;

update hdb_catalog.hdb_source_catalog_version set version = '3', upgraded_on = now() where version::numeric < 3;

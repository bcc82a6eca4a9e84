/** Statements at the head of a dump that a migration doesn't need: settings, and the schema that every database has. */
const preamble: ReadonlySet<string> = new Set([
  'SET statement_timeout = 0;',
  'SET lock_timeout = 0;',
  'SET idle_in_transaction_session_timeout = 0;',
  'SET transaction_timeout = 0;',
  "SET client_encoding = 'UTF8';",
  'SET standard_conforming_strings = on;',
  "SELECT pg_catalog.set_config('search_path', '', false);",
  'SET xmloption = content;',
  'SET client_min_messages = warning;',
  'SET row_security = off;',
  "SET default_tablespace = '';",
  'SET default_with_oids = false;',
  'SET default_table_access_method = heap;',
  'CREATE SCHEMA public;',
  "COMMENT ON SCHEMA public IS 'standard public schema';",
])

/** Triggers of event triggers, which metadata creates. */
const eventTrigger =
  /^CREATE TRIGGER "?notify_hasura_.+"? AFTER \w+ ON .+ FOR EACH ROW EXECUTE (FUNCTION|PROCEDURE) "?hdb_catalog"?\."?notify_hasura_.+"?\(\);$/

/** Newer releases of pg_dump write psql commands around the dump, which a server can't run. */
const psqlCommand = /^\\(un)?restrict /

/** A dump as a migration: without comments, empty lines, settings and Hasura's own objects. */
export const cleanDump = (dump: string): string =>
  dump
    .split('\n')
    .filter(
      (line) =>
        line.trim() !== '' &&
        !line.startsWith('--') &&
        !preamble.has(line) &&
        !eventTrigger.test(line) &&
        !psqlCommand.test(line),
    )
    .map((line) => `${line}\n`)
    .join('')

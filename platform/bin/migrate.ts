import { type Json, printResult, runCommand, withJson } from '@commerce-graph/terminal'
import { Command } from 'commander'
import { readConfiguration } from '../src/configuration.ts'
import { expectedErrors } from '../src/expected-errors.ts'
import { migrateDatabase } from '../src/migrate-database.ts'

const program = withJson(new Command('npm run migrate --'))
  .description(
    'Brings the database of DATABASE_URL to what this version needs: migrations, then metadata. Run it before the roles of ' +
      'npm start -- --role, which wait for it. It works while roles of the version before run (docs/upgrading.md).',
  )
  .option(
    '--embedded',
    'apply with an engine in this process although HASURA_URL is set: for the role engine, which waits for this job',
  )
  .addHelpText(
    'after',
    `
  DATABASE_URL                   the database
  HASURA_URL                     a Hasura on it, which applies them; without it, an engine in this process does
  HASURA_GRAPHQL_ADMIN_SECRET    that Hasura's secret
  COMMERCE_PLACE                 the deployment's name, which the first run gives to the database

Jobs that start together take turns. A killed job has applied each migration wholly or not at all; run it again.
Ends with 0 if the database is ready, with 1 otherwise.`,
  )
  .action(async ({ embedded, json }: Json & { embedded?: true }) => {
    const config = readConfiguration(process.env)
    const hasuraUrl = embedded === true ? undefined : config.hasuraUrl
    const tell = json === true ? console.error : console.log
    const migrated = await migrateDatabase({ ...config, hasuraUrl }, (line) => tell(line))
    printResult(
      migrated,
      { json },
      () => `The database is ready, after ${(migrated.milliseconds / 1_000).toFixed(1)} s.`,
    )
  })

await runCommand(program, { expected: expectedErrors })

import { Command } from 'commander'
import { readConfiguration } from '../src/configuration.ts'
import { migrateDatabase } from '../src/migrate-database.ts'
import { PlatformError } from '../src/platform-error.ts'

const options = new Command('npm run migrate --')
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
  .allowExcessArguments(false)
  .showHelpAfterError()
  .parse()
  .opts<{ embedded?: true }>()

try {
  const config = readConfiguration(process.env)
  const hasuraUrl = options.embedded === true ? undefined : config.hasuraUrl
  await migrateDatabase({ ...config, hasuraUrl }, (line) => console.log(line))
} catch (error) {
  if (!(error instanceof PlatformError)) throw error
  console.error(`\n${error.message}`)
  process.exitCode = 1
}

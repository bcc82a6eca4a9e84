import { type Json, printResult, runCommand, withJson } from '@commerce-graph/terminal'
import { Command } from 'commander'
import { readConfiguration } from '../src/configuration.ts'
import { expectedErrors } from '../src/expected-errors.ts'
import { reset } from '../src/reset.ts'

const program = withJson(new Command('npm run reset --'))
  .description(
    'Removes what the platform has stored in its data folder: the next start begins with an empty database, new keys\n' +
      'and the demo shop. With DATABASE_URL, it drops the schemas of the platform there, if --yes is given.',
  )
  .option('--yes', 'also in the database of DATABASE_URL')
  .action(async ({ yes, json }: Json & { yes?: true }) => {
    const dataDir = await reset(readConfiguration(process.env), { confirmed: yes === true })
    printResult(
      { dataDir },
      { json },
      () => `${dataDir} is as new. npm start begins with an empty database and the demo shop.`,
    )
  })

await runCommand(program, { expected: expectedErrors })

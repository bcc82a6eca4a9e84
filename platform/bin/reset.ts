import { Command } from 'commander'
import { z } from 'zod'
import { readConfiguration } from '../src/configuration.ts'
import { PlatformError } from '../src/platform-error.ts'
import { reset } from '../src/reset.ts'

const program = new Command('npm run reset --')
  .description(
    'Removes what the platform has stored in its data folder: the next start begins with an empty database, new keys\n' +
      'and the demo shop. With DATABASE_URL, it drops the schemas of the platform there, if --yes is given.',
  )
  .option('--yes', 'also in the database of DATABASE_URL')
  .showHelpAfterError()
  .parse()

const { yes } = z.object({ yes: z.boolean().default(false) }).parse(program.opts())
try {
  const path = await reset(readConfiguration(process.env), { confirmed: yes })
  console.log(`${path} is as new. npm start begins with an empty database and the demo shop.`)
} catch (error) {
  if (!(error instanceof PlatformError)) throw error
  console.error(error.message)
  process.exit(1)
}

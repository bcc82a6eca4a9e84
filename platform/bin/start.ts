import { runCommand } from '@commerce-graph/terminal'
import { Command, InvalidArgumentError } from 'commander'
import { join } from 'node:path'
import { readConfiguration } from '../src/configuration.ts'
import { type Ending, firstEnding } from '../src/endings.ts'
import { type Platform, startPlatform } from '../src/platform.ts'
import { expectedErrors } from '../src/expected-errors.ts'
import { parseRoles, type Role } from '../src/roles.ts'
import { startRoles } from '../src/start-roles.ts'
import { stopTimeoutMs } from '../src/started-parts.ts'
import { welcome } from '../src/welcome.ts'

const program = new Command('npm start --')
  .description(
    'Starts the platform: Postgres, the Hasura engine, all services and, in a test deployment, the demo shop. It prints where ' +
      'everything is, and runs until Ctrl-C.',
  )
  .option(
    '--role <roles>',
    'start only these: gateway, engine, actions, webhook, worker; or all',
    chosenRoles,
    {
      kind: 'all',
    } as const,
  )
  .addHelpText(
    'after',
    `
With --role, each role can be a process of its own, and as many of them as wanted. They share the database of DATABASE_URL, which
npm run migrate prepares, and find each other by HASURA_URL, GATEWAY_URL, WEBHOOK_URL and ACTIONS_URL. On one machine:

  npm run migrate -- --embedded
  npm start -- --role engine      npm start -- --role actions     npm start -- --role webhook
  npm start -- --role gateway     npm start -- --role worker

docs/operating.md has this example with its settings.

Settings are environment variables. These are the most common; docs/operating.md has all of them.

  PORT            the first of six ports; 4000 unless said
  DATA_DIR        the folder of the data; .data unless said
  DATABASE_URL    a Postgres of yours, in place of the embedded one
  REDIS_URL       a Redis that several processes share
  COMMERCE_MODE   test (unless said), or live`,
  )
  // The services keep the process alive after their end.
  .action(async ({ role }: { readonly role: Choice }) => process.exit(await main(role, firstEnding())))

type Choice = Exclude<ReturnType<typeof parseRoles>, { readonly kind: 'unknown' }>

function chosenRoles(text: string): Choice {
  const parsed = parseRoles(text)
  if (parsed.kind === 'unknown') throw new InvalidArgumentError(parsed.problem)
  return parsed
}

const main = (choice: Choice, ending: Promise<Ending>): Promise<number> =>
  choice.kind === 'all' ? runPlatform(ending) : runRoles(choice.roles, ending)

async function runRoles(roles: ReadonlySet<Role>, ending: Promise<Ending>): Promise<number> {
  const config = readConfiguration(process.env)
  const early = new AbortController()
  void ending.then(() => early.abort())
  const running = await startRoles(roles, config, { tell: (line) => console.log(line), signal: early.signal })
  for (const [role, address] of running.addresses) console.log(`The role ${role} is ready at ${address}`)
  return stop(running, await ending)
}

async function runPlatform(ending: Promise<Ending>): Promise<number> {
  const config = readConfiguration(process.env)
  const starting = startPlatform(config, (message) => console.log(message))
  const early = await Promise.race([starting.then(() => undefined), ending])
  if (early !== undefined) {
    console.log('Finishing the start, then stopping …')
    limitStop()
  }
  const platform = await starting
  if (early !== undefined) return stop(platform, early)
  console.log(
    welcome(platform, {
      mode: config.mode,
      hasAdmin: config.admin !== undefined,
      readyFilePath: join(config.dataDir, 'ready.json'),
      showsSecrets: process.stdout.isTTY,
    }),
  )
  const end = await Promise.race([platform.crashed, ending])
  if (typeof end !== 'string') return stop(platform, end)
  console.error(`Postgres has ended by itself: ${end}`)
  return stop(platform, { kind: 'uncaught' })
}

/** Returns the exit code. */
async function stop(platform: Pick<Platform, 'stop'>, ending: Ending): Promise<number> {
  console.log('Stopping …')
  limitStop()
  try {
    await platform.stop({ drain: ending.kind === 'asked' && ending.signal === 'SIGTERM' })
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return 1
  }
  console.log('Stopped.')
  switch (ending.kind) {
    case 'asked':
      return 0
    case 'uncaught':
      return 1
    default:
      return ending satisfies never
  }
}

/** Ends the process even if a part of it hangs. */
function limitStop(): void {
  setTimeout(() => {
    console.error('Stopping takes too long; giving up.')
    process.exit(1)
  }, stopTimeoutMs).unref()
}

await runCommand(program, { expected: expectedErrors })

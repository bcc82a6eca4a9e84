import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { readArguments } from '@commerce-graph/terminal'
import { z } from 'zod'
import { compareWithMigrations } from '../src/compare-with-migrations.ts'
import { migrations, writeInitialMigration, writeNextMigration } from '../src/migrations.ts'
import { nextMigration } from '../src/next-migration.ts'
import { readSource } from '../src/read-source.ts'

const usage = `Usage: npm run migration -- [options]

Brings migrations/ to what sql/ says.

  (no option)      before version 1.0: writes the one initial migration anew
  --name NAME      writes a further migration with what changed, and lists what is to be written by hand
  --check          writes nothing; exit code 1 when the sum of the migrations is not what sql/ says
  -h, --help       this text`

const values = readArguments({
  usage,
  options: { name: { type: 'string' }, check: { type: 'boolean' } },
  values: z.object({
    name: z.string().regex(/^\w+$/, 'must have letters, digits and underscores only').optional(),
    check: z.boolean().default(false),
  }),
})

if (values.check) process.exitCode = (await differences()).length === 0 ? 0 : 1
else if (values.name === undefined) await initial()
else await further(values.name)

async function initial(): Promise<void> {
  const { version } = JSON.parse(readFileSync(path.resolve(migrations, '../../package.json'), 'utf8')) as {
    readonly version: string
  }
  if (!version.startsWith('0.')) {
    console.error(
      `Version ${version} is released: its tables go forward only. Give the migration a name: npm run migration -- --name add_something`,
    )
    process.exitCode = 2
    return
  }
  const changed = writeInitialMigration(await readSource())
  console.log(changed ? 'The initial migration is written anew.' : 'The initial migration is up to date.')
}

async function further(name: string): Promise<void> {
  await withPostgres(async (url) => {
    const { before, after, statements } = await compareWithMigrations(url)
    const next = nextMigration(before, after, statements)
    if (next.up === '' && next.byHand.length === 0) {
      console.log('The migrations make what sql/ says; there is nothing to write.')
      return
    }
    console.log(writeNextMigration(name, next, { now: new Date() }))
    for (const object of next.byHand) console.log(`  to be written by hand: ${object}`)
  })
}

async function differences(): Promise<readonly string[]> {
  return withPostgres(async (url) => {
    const { different } = await compareWithMigrations(url)
    for (const object of different) console.error(object)
    return different
  })
}

async function withPostgres<T>(use: (url: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'migration-'))
  const server = await startLocalPostgres({ dataDir, durable: false })
  try {
    return await use(server.adminUrl)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

import { Command, InvalidArgumentError, Option } from 'commander'
import {
  type HasuraApi,
  migrate,
  migrationStatus,
  type SqlFailure,
  type StepRequest,
} from 'hasura-embedded/migrations'
import { join } from 'node:path'
import { applyMetadata } from './apply-metadata.ts'
import { createMigration } from './create-migration.ts'
import { diffMetadata, exportMetadata } from './export-metadata.ts'
import { createHasuraApi } from './hasura-api.ts'
import { type Project, type ProjectFlags, readProject } from './project.ts'
import { applySeeds } from './seeds.ts'

/** A command was refused or failed. The message was printed, and the process ends with 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

type GlobalFlags = ProjectFlags & { readonly project: string; readonly databaseName: string }
interface Context {
  readonly api: HasuraApi
  readonly project: Project
  readonly database: string
}

/** The command line. `print` receives whole lines; a failure is thrown as CommandFailed. */
export function createProgram(defaultProject: string, print: (line: string) => void): Command {
  const program = new Command('hasura')
    .description('Migrations, metadata and seeds against either Hasura engine')
    .option('--project <folder>', 'where config.yaml is', defaultProject)
    .option('--endpoint <url>', 'the engine (or HASURA_GRAPHQL_ENDPOINT, or config.yaml)')
    .option('--admin-secret <secret>', 'its admin secret (or HASURA_GRAPHQL_ADMIN_SECRET)')
    .option('--database-name <name>', "Hasura's name of the database", 'default')
    .showHelpAfterError()
  const context = async (): Promise<Context> => {
    const flags = program.opts<GlobalFlags>()
    const project = await readProject(flags.project, flags, process.env)
    return { project, database: flags.databaseName, api: createHasuraApi(project) }
  }
  program.addCommand(migrateCommand(context, print))
  program.addCommand(metadataCommand(context, print))
  program.addCommand(seedCommand(context, print))
  return program
}

interface ApplyFlags {
  readonly up?: number
  readonly down?: number
  readonly version?: string
  readonly type: 'up' | 'down'
  readonly skipExecution: boolean
}

function migrateCommand(context: () => Promise<Context>, print: (line: string) => void): Command {
  const command = new Command('migrate').description('apply and follow migrations')
  command
    .command('apply')
    .description('apply what is missing, in order, each file in a transaction of its own')
    .addOption(new Option('--up <n>', 'only the next n').argParser(count).conflicts(['down', 'version']))
    .addOption(new Option('--down <n>', 'undo the last n').argParser(count).conflicts('version'))
    .option('--version <version>', 'exactly this one')
    .addOption(new Option('--type <direction>', 'with --version').choices(['up', 'down']).default('up'))
    .option('--skip-execution', 'record the versions without running their SQL', false)
    .action(async (flags: ApplyFlags) => {
      const { api, project, database } = await context()
      const outcome = await migrate({
        api,
        directory: join(project.migrationsDirectory, database),
        database,
        request: requestOf(flags),
        skipExecution: flags.skipExecution,
        onStep: ({ version, name }, direction) => print(`${direction.padEnd(4)} ${version}_${name}`),
      })
      switch (outcome.kind) {
        case 'migrated': {
          print(outcome.steps.length === 0 ? 'Nothing to do' : `${outcome.steps.length} done`)
          return
        }
        case 'refused':
          throw new CommandFailed(outcome.reason)
        case 'failed':
          throw new CommandFailed(describe(outcome.failure))
        default:
          return outcome satisfies never
      }
    })
  command
    .command('status')
    .description('what is applied and what is not')
    .action(async () => {
      const { api, project, database } = await context()
      const directory = join(project.migrationsDirectory, database)
      for (const { version, name, applied, dirty } of await migrationStatus(api, directory, database)) {
        const state = dirty ? 'interrupted' : applied ? 'applied' : 'not applied'
        print(`${version}  ${state.padEnd(11)}  ${name ?? '(not in this folder)'}`)
      }
    })
  command
    .command('create <name>')
    .description('make an empty migration')
    .action(async (name: string) => {
      const { project, database } = await context()
      print(await createMigration(join(project.migrationsDirectory, database), name, new Date()))
    })
  return command
}

function metadataCommand(context: () => Promise<Context>, print: (line: string) => void): Command {
  const command = new Command('metadata').description('apply, export and compare metadata')
  command
    .command('apply')
    .description("replace the engine's metadata by the project's")
    .action(async () => {
      const { api, project } = await context()
      const warn = (place: string): void => print(`Left out: ${place}: metadata has no such key`)
      const inconsistencies = await applyMetadata(api, project.metadataDirectory, warn)
      if (inconsistencies.length === 0) {
        print('Metadata applied')
        return
      }
      const list = inconsistencies.map(({ type, name, reason }) => `${type} ${name}: ${reason}`)
      throw new CommandFailed(`Metadata applied, but not all of it can be used:\n${list.join('\n')}`)
    })
  command
    .command('export')
    .description("write the engine's metadata into the project")
    .action(async () => {
      const { api, project } = await context()
      const files = await exportMetadata(api, project.metadataDirectory)
      print(`${files.size} files written to ${project.metadataDirectory}`)
    })
  command
    .command('diff')
    .description('show what metadata apply would change')
    .action(async () => {
      const { api, project } = await context()
      const difference = await diffMetadata(api, project.metadataDirectory)
      print(difference === '' ? 'No difference' : difference)
    })
  return command
}

function seedCommand(context: () => Promise<Context>, print: (line: string) => void): Command {
  const command = new Command('seed').description('fill a database')
  command
    .command('apply')
    .description('run the seed files in the order of their names, each in a transaction of its own')
    .option('--file <name>', 'only this one')
    .action(async ({ file }: { file?: string }) => {
      const { api, project, database } = await context()
      const outcome = await applySeeds({
        api,
        directory: join(project.seedsDirectory, database),
        database,
        onFile: print,
        ...(file === undefined ? {} : { file }),
      })
      if (outcome.kind === 'failed') throw new CommandFailed(describe(outcome.failure))
      print(`${outcome.files.length} done`)
    })
  return command
}

function requestOf({ up, down, version, type }: ApplyFlags): StepRequest {
  if (version !== undefined) return { kind: 'version', version, direction: type }
  if (down !== undefined) return { kind: 'down', count: down }
  return up === undefined ? { kind: 'all' } : { kind: 'up', count: up }
}

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('a number from 1 is expected')
  return Number(text)
}

const describe = ({ file, line, message }: SqlFailure): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${message}`

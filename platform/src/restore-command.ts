import { verifyRows } from '@commerce-graph/actions/verification'
import {
  addedFiles,
  type BaseBackup,
  endLeftServer,
  listBackups,
  restoreCluster,
  startLocalPostgres,
} from '@commerce-graph/local-postgres'
import postgres from '@commerce-graph/postgres-driver'
import { type Json, printResult, time, wholeNumber, withJson } from '@commerce-graph/terminal'
import { Command, InvalidArgumentError } from 'commander'
import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyingProgress, settings } from './backup-command.ts'
import { backedUpFiles, openDataFolder, postgresFolder, restoringFolder } from './data-folder.ts'
import { database } from './database.ts'
import { PlatformError } from './platform-error.ts'
import { dataThere, putInPlace, removeUnfinished, unarchivedLog } from './restored-data.ts'

/** Postgres counts them in 32 bits, and reads the number with a sign. */
const latestTimeline = 2 ** 31 - 1

interface Options extends Json {
  readonly to?: Date
  readonly backup?: string
  readonly timeline?: number
  readonly replace?: true
}

/** `npm run restore`: makes a data folder from a backup and the archived log, and verifies what came back. */
export const program = (): Command =>
  withJson(new Command('npm run restore --'))
    .description(
      'Restores the database, the secrets and the files of a backup into the data folder (DATA_DIR), which no platform may use.\n' +
        'BACKUP_FOLDER names the folder of the backups. docs/backup.md has more.',
    )
    .option('--to <time>', 'nothing that was committed later comes back: 2026-11-24T09:30:00Z', moment)
    .option('--backup <name>', 'the backup to begin with, as `npm run backup -- list` shows it')
    .option(
      '--timeline <n>',
      'follow an earlier timeline than the latest, to what a restore has undone',
      wholeNumber(1, latestTimeline),
    )
    .option('--replace', 'set the data that is there aside, as <name>.before-<time>')
    .action(restore)

async function restore({ to, backup: name, timeline, replace, json }: Options): Promise<void> {
  const { folder, dataDir } = settings()
  const backup = chosen(await listBackups(folder), { to, name, folder })
  const data = openDataFolder(dataDir)
  try {
    if (replace !== true) refuseToReplace(data.path)
    removeUnfinished(data.path)
    // After a kill, the old Postgres may still archive the end of its log.
    await endLeftServer(join(data.path, postgresFolder))
    console.error(`Restoring ${backup.name} into ${data.path} …`)
    const made = await make({ folder, backup, to, timeline, dataDir: data.path }).catch((error: unknown) => {
      removeUnfinished(data.path)
      console.error(`What was in ${data.path} is there as before.`)
      throw error
    })
    const restored = { dataDir: data.path, setAside: putInPlace(data.path, new Date()), ...made }
    printResult(restored, { json }, () => restoredText(restored))
    if (restored.brokenRules.length > 0) process.exitCode = 1
  } finally {
    data.release()
  }
}

interface Making {
  readonly folder: string
  readonly backup: BaseBackup
  readonly to: Date | undefined
  readonly timeline: number | undefined
  readonly dataDir: string
}

/** Makes and verifies the data beside that which is there, so that a restore that fails has changed nothing. */
async function make({ folder, backup, to, timeline, dataDir }: Making) {
  const making = join(dataDir, restoringFolder)
  const postgresDir = join(making, postgresFolder)
  const progress = copyingProgress()
  const last = await restoreCluster({
    folder,
    backup,
    dataDir: postgresDir,
    password: await readFile(join(addedFiles(folder, backup), postgresFolder, 'password'), 'utf8'),
    until: to,
    timeline,
    unarchivedWal: unarchivedLog(dataDir),
    onProgress: progress.show,
  }).finally(progress.stop)
  for (const file of backedUpFiles)
    await bringBack(join(addedFiles(folder, backup), file), join(making, file))
  return {
    backup: backup.name,
    lastTransactionAt: last ?? new Date(backup.endedAt),
    brokenRules: await verify(postgresDir),
  }
}

const restoredText = ({
  lastTransactionAt,
  brokenRules,
  setAside,
}: {
  readonly setAside: string | null
  readonly lastTransactionAt: Date
  readonly brokenRules: readonly string[]
}): string =>
  [
    `The last transaction is of ${time(lastTransactionAt)}.`,
    brokenRules.length === 0
      ? 'All rules of npm run verify hold.'
      : `Not all rules hold: ${brokenRules.join(', ')}. npm run verify tells more once the platform runs.`,
    ...(setAside === null ? [] : [`The database that was there is in ${setAside}.`]),
    'Start the platform with npm start, then make a new backup. From that start on, restores of older backups follow this data.',
    'To try it out beside the platform that it is a copy of, start it with BACKUP_FOLDER= (empty).',
  ].join('\n')

/** The latest backup that was complete by the moment, or the one that was named. */
function chosen(
  backups: readonly BaseBackup[],
  {
    to,
    name,
    folder,
  }: { readonly to: Date | undefined; readonly name: string | undefined; readonly folder: string },
): BaseBackup {
  const possible = backups.filter(({ endedAt }) => to === undefined || new Date(endedAt) <= to)
  const backup = name === undefined ? possible.at(-1) : backups.find((candidate) => candidate.name === name)
  if (backup === undefined) {
    const [first] = backups
    throw new PlatformError(
      first === undefined
        ? `${folder} has no backup.`
        : name === undefined
          ? `There is no backup from before that moment; the first one was complete at ${time(new Date(first.endedAt))}.`
          : `There is no backup ${name}; npm run backup -- list shows the names.`,
    )
  }
  if (!possible.includes(backup))
    throw new PlatformError(
      `The backup ${backup.name} was complete only at ${time(new Date(backup.endedAt))}.`,
    )
  return backup
}

function refuseToReplace(dataDir: string): void {
  const there = dataThere(dataDir)
  if (there.length > 0)
    throw new PlatformError(
      `${dataDir} has data already (${there.join(', ')}). Choose another DATA_DIR, or set it aside with --replace.`,
    )
}

async function bringBack(from: string, to: string): Promise<void> {
  if (existsSync(from)) await cp(from, to, { recursive: true, preserveTimestamps: true })
}

/** The names of the rules that don't hold. */
async function verify(dataDir: string): Promise<readonly string[]> {
  const server = await startLocalPostgres({ dataDir, databases: [database] })
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
  try {
    const verdicts = await Array.fromAsync(verifyRows(sql, { mostShown: 1 }))
    return verdicts.filter(({ disagreements }) => disagreements > 0).map(({ rule }) => rule)
  } finally {
    await sql.end({ timeout: 5 })
    await server.stop()
  }
}

function moment(text: string): Date {
  const date = new Date(text)
  if (
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ||
    Number.isNaN(date.getTime())
  )
    throw new InvalidArgumentError('must be a time with its zone, like 2026-11-24T09:30:00Z')
  return date
}

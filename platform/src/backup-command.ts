import { type BaseBackup, listBackups, takeBackup } from '@commerce-graph/local-postgres'
import {
  bytesInWords,
  createProgress,
  type Json,
  printList,
  printResult,
  time,
  wholeNumber,
  withJson,
} from '@commerce-graph/terminal'
import { Command } from 'commander'
import { z } from 'zod'
import { copyBackedUpFiles } from './backed-up-files.ts'
import { readReadyFile } from './command-line.ts'
import { readConfiguration } from './configuration.ts'
import { PlatformError } from './platform-error.ts'

const mostKept = 1_000

/** `npm run backup`: a copy of the running platform's database, from which `npm run restore` can go to any later moment. */
export function program(): Command {
  const command = new Command('npm run backup --').description(
    'Backs up the platform that runs here, while it runs: its database, and the secrets and files of its data folder.\n' +
      'Start the platform with BACKUP_FOLDER, which has to be set here, too. docs/backup.md has more.',
  )
  withJson(command.command('create', { isDefault: true }))
    .description('make a backup (what npm run backup does without a word)')
    .option('--keep <n>', 'remove older backups than the n latest', wholeNumber(1, mostKept), 7)
    .action(create)
  withJson(command.command('list')).description('list the backups, oldest first').action(list)
  return command
}

async function create({ keep, json }: Json & { readonly keep: number }): Promise<void> {
  const { folder, dataDir } = settings()
  const ready = await readReadyFile(z.object({ superuserUrl: z.string() }))
  if (ready === undefined)
    throw new PlatformError(`no platform is running on ${dataDir}: start it with BACKUP_FOLDER=${folder}`)
  const progress = copyingProgress()
  const { backup, removed } = await takeBackup({
    url: ready.superuserUrl,
    folder,
    keep,
    addFiles: (added) => copyBackedUpFiles(dataDir, added),
    onProgress: progress.show,
  }).finally(progress.stop)
  const made = summary(backup)
  printResult({ ...made, removed }, { json }, () =>
    [
      `The backup ${backup.name} has ${bytesInWords(made.bytes)} in ${backup.files.length} files.`,
      `npm run restore can go to any moment from ${time(new Date(backup.endedAt))} on.`,
      ...removed.map((name) => `Removed ${name}.`),
    ].join('\n'),
  )
}

/** The size of all is a guess until the end. */
export function copyingProgress() {
  const progress = createProgress({ doing: 'Copying', amount: bytesInWords })
  let begun = false
  return {
    show: ({ bytes, ofBytes }: { readonly bytes: number; readonly ofBytes: number }) => {
      if (!begun) progress.start(ofBytes)
      begun = true
      progress.update(bytes)
    },
    stop: progress.stop,
  }
}

async function list({ json }: Json): Promise<void> {
  const backups = (await listBackups(settings().folder)).map(summary)
  printList(backups, {
    json,
    none: 'There are no backups.',
    columns: [
      { title: 'name', of: ({ name }) => name },
      { title: 'complete at', of: ({ endedAt }) => new Date(endedAt) },
      { title: 'size', of: ({ bytes }) => bytesInWords(bytes) },
    ],
  })
}

const summary = ({ name, beganAt, endedAt, files }: BaseBackup) => ({
  name,
  beganAt,
  endedAt,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
})

/** The folder of the backups, and that of the data. @throws PlatformError without a folder for backups */
export function settings(): { readonly folder: string; readonly dataDir: string } {
  const { backup, dataDir } = readConfiguration(process.env)
  if (backup === undefined)
    throw new PlatformError('BACKUP_FOLDER is not set: it names the folder of the backups')
  return { folder: backup.folder, dataDir }
}

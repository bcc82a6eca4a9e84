import { runCommand } from '@commerce-graph/terminal'
import { Command } from 'commander'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../src/prepare-schema.ts'

const program = new Command('npm run dev --')
  .description(
    'Runs the platform as npm start does, and starts it again when a file that it is made of changes: TypeScript, SDL, metadata, a new\n' +
      'migration. A migration that has been applied already is not applied again: npm run reset makes the data anew.\n' +
      'The variables are those of npm start (docs/operating.md). Ctrl-C ends it.',
  )
  .action(run)

/** Milliseconds without another change before the platform restarts: an editor or git writes several files. */
const quietMs = 200
const source = /\.(ts|mjs|graphql|yaml|sql|json|mustache|html|css)$/
const ignored = new Set(['node_modules', '.data', '.git', 'dist', 'tests', 'test', 'bench', 'docs'])

const start = (): ChildProcess =>
  spawn(process.execPath, [join(root, 'platform/bin/start.ts')], { stdio: 'inherit' })

/** A platform that could not start has ended already, and waits for the next change. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** Resolves when a file of the platform has changed and no other follows. Throws AbortError when the signal aborts. */
async function change(signal: AbortSignal): Promise<string> {
  for await (const { filename } of watch(root, { recursive: true, signal })) {
    if (filename === null || !matters(filename)) continue
    await sleep(quietMs, undefined, { signal })
    return filename
  }
  throw new Error('The folder is not watched any more')
}

const matters = (file: string): boolean =>
  source.test(file) && !/\.test\.ts$/.test(file) && !file.split(sep).some((part) => ignored.has(part))

async function run(): Promise<void> {
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.abort())
  let platform = start()
  try {
    for (;;) {
      const file = await change(ended.signal)
      console.log(`\n${file} has changed: starting again …`)
      await stop(platform)
      platform = start()
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error
  } finally {
    await stop(platform)
  }
}

await runCommand(program, { expected: [] })

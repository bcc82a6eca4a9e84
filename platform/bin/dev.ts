import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../src/prepare-schema.ts'

const usage = `Usage: npm run dev

Runs the platform as npm start does, and starts it again when a file that it is made of changes: TypeScript, SDL, metadata, a new
migration. A migration that has been applied already is not applied again: npm run reset makes the data anew.
The variables are those of npm start (docs/operating.md). Ctrl-C ends it.`

/** Milliseconds without another change before the platform restarts: an editor or git writes several files. */
const quietMs = 200
const source = /\.(ts|mjs|graphql|yaml|sql|json|mustache|html|css)$/
const ignored = new Set(['node_modules', '.data', '.git', 'dist', 'tests', 'test', 'bench', 'docs'])

if (process.argv.slice(2).length > 0) {
  console.log(usage)
  process.exit(process.argv.includes('--help') ? 0 : 2)
}

const ended = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.abort())

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
async function change(): Promise<string> {
  for await (const { filename } of watch(root, { recursive: true, signal: ended.signal })) {
    if (filename === null || !matters(filename)) continue
    await sleep(quietMs, undefined, { signal: ended.signal })
    return filename
  }
  throw new Error('The folder is not watched any more')
}

const matters = (file: string): boolean =>
  source.test(file) && !/\.test\.ts$/.test(file) && !file.split(sep).some((part) => ignored.has(part))

let platform = start()
try {
  for (;;) {
    const file = await change()
    console.log(`\n${file} has changed: starting again …`)
    await stop(platform)
    platform = start()
  }
} catch (error) {
  if (!ended.signal.aborted) throw error
} finally {
  await stop(platform)
}

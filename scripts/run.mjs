#!/usr/bin/env node
// Runs a TypeScript program of this repository: `node scripts/run.mjs <entry> [argument…]`. It needs only Node 18
// and npm: it first installs what is missing, including the Node 24 that runs the TypeScript. See
// scripts/README.md.
import { spawn } from 'node:child_process'
import { dirname, delimiter, join } from 'node:path'
import process from 'node:process'
import { constants } from 'node:os'
import { clearInterval, setInterval } from 'node:timers'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, InstallError, projectNode } from './installation.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [entry, ...args] = process.argv.slice(2)

if (entry === undefined) {
  console.error('Usage: node scripts/run.mjs <entry> [argument…]')
  process.exit(2)
}

const purpose = purposeOf(entry)
try {
  await ensureInstalled(root, purpose)
} catch (error) {
  if (!(error instanceof InstallError)) throw error
  console.error(error.message)
  process.exit(1)
}

/** The programs in these folders run in production; all others are for development, and need its tools. */
function purposeOf(path) {
  const folders = ['platform/', 'importer/', 'demo/', 'hasura/']
  return folders.some((folder) => path.startsWith(folder)) ? 'running' : 'developing'
}

const node = projectNode(root)
const path = [dirname(node), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
// Node keeps the compiled modules for the next start; that saves a third of a short command's time.
const compileCache = join(root, 'node_modules/.cache/node-compile-cache')
const child = spawn(node, [join(root, entry), ...args], {
  stdio: 'inherit',
  env: {
    NODE_COMPILE_CACHE: compileCache,
    // As in the image. Without it, graphql and express do checks that are meant for the development of a server.
    ...(purpose === 'running' ? { NODE_ENV: 'production' } : {}),
    ...process.env,
    PATH: path,
  },
})

// The child decides when to end; this process only waits for it. A terminal sends Ctrl-C to the whole group, npm
// repeats it, and `kill` reaches this process alone. So this process always forwards the signal, and the child
// treats a second one as the same request.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}

// npm runs its scripts through a shell, and a signal for npm ends only that shell. This process can notice that its
// parent is gone only by polling.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 250).unref()
}

child.on('error', (error) => {
  console.error(`${node} could not be started: ${error.message}`)
  process.exit(1)
})
child.on('close', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))

#!/usr/bin/env node
// Runs a TypeScript program of this repository: `node scripts/run.mjs <entry> [argument…]`.
// It needs no more than Node 18 and npm: what is missing is installed first, the Node 24 that runs the
// TypeScript included. See scripts/README.md.
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

try {
  await ensureInstalled(root, purposeOf(entry))
} catch (error) {
  if (!(error instanceof InstallError)) throw error
  console.error(error.message)
  process.exit(1)
}

/** The programs of these folders run in production; everything else is for developing, and brings its tools. */
function purposeOf(path) {
  const folders = ['platform/', 'importer/', 'demo/', 'hasura/']
  return folders.some((folder) => path.startsWith(folder)) ? 'running' : 'developing'
}

const node = projectNode(root)
const path = [dirname(node), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
const child = spawn(node, [join(root, entry), ...args], {
  stdio: 'inherit',
  env: { ...process.env, PATH: path },
})

// The child decides when to end; this process only waits for it. A terminal sends Ctrl-C to the whole group, npm
// passes it on once more, and `kill` reaches this process alone: so the signal is always handed over, and the
// child takes the second one for the same request.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}

// npm runs its scripts through a shell, and a signal meant for npm ends only that shell. Seen from here the parent
// is gone, which nothing but a poll tells.
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

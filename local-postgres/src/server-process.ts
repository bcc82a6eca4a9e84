import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { cleanEnvironment } from './cluster.ts'
import { LocalPostgresError } from './local-postgres-error.ts'
import { asAccount, type ServerAccount } from './server-account.ts'

// After a crash it first replays the log since the last checkpoint, up to half of max_wal_size: 2 GB took 12 seconds.
const startTimeoutMs = 600_000
const fastStopMs = 10_000
const immediateStopMs = 5_000
const logLimitBytes = 10 * 1024 * 1024

/** A running server. `exit` resolves when it ends; a server that wasn't stopped has crashed. */
export interface ServerProcess {
  readonly pid: number
  readonly exit: Promise<ServerExit>
  readonly stop: () => Promise<void>
}

export type ServerExit = { readonly kind: 'stopped' } | { readonly kind: 'crashed'; readonly reason: string }

export interface ServerSettings {
  readonly folder: string
  readonly logFile: string
  readonly port: number
  /** False only in tests: a power cut may then destroy the cluster. */
  readonly durable: boolean
  /** Postgres' settings in addition: of an archive, or of a recovery. */
  readonly more?: Readonly<Record<string, string>>
  /** Milliseconds until the server must accept connections; ten minutes when absent. */
  readonly patienceMs?: number
}

/**
 * Starts the server and resolves when it accepts connections. Throws LocalPostgresError when it ends or isn't ready in
 * time.
 */
export async function startServer(
  binaries: Binaries,
  account: ServerAccount,
  settings: ServerSettings,
): Promise<ServerProcess> {
  const child = spawnServer(binaries, account, settings)
  const releaseWatch = endWithThisProcess(child)
  let stopping = false
  const exit = new Promise<ServerExit>((resolve) => {
    child.once('error', (error) => resolve({ kind: 'crashed', reason: error.message }))
    child.once('exit', (code, signal) =>
      resolve(
        stopping
          ? { kind: 'stopped' }
          : {
              kind: 'crashed',
              reason: `${signal ?? `exit code ${String(code)}`}\n${logTail(settings.logFile)}`,
            },
      ),
    )
  }).finally(releaseWatch)
  const stop = async (): Promise<void> => {
    stopping = true
    await stopServer(child, exit)
  }
  await ready(child, exit, settings, stop)
  return { pid: child.pid ?? 0, exit, stop }
}

function spawnServer(binaries: Binaries, account: ServerAccount, settings: ServerSettings): ChildProcess {
  keepLogShort(settings.logFile)
  const { file, args, ids } = asAccount(account, binaries.postgres, serverArguments(settings))
  const log = openSync(settings.logFile, 'a')
  try {
    return spawn(file, args, {
      ...ids,
      cwd: '/',
      env: cleanEnvironment(),
      stdio: ['ignore', log, log],
      // A session of its own: Ctrl-C must reach only the program above, which stops the server after its last
      // statement.
      detached: true,
    })
  } finally {
    closeSync(log)
  }
}

const durableSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  // After a checkpoint the log holds the next change of each page with the whole page. An import writes up to 18 MB of log a
  // second, so Postgres' own 1GB would mean a checkpoint every half a minute.
  max_wal_size: '4GB',
} as const

const testSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  // The change feed learns of a commit when the log is written.
  wal_writer_delay: '10ms',
  full_page_writes: 'off',
  // The folder may be in memory.
  max_wal_size: '256MB',
  min_wal_size: '32MB',
  // Databases of a test live for seconds; there is nothing to clean up in them.
  autovacuum: 'off',
  // A test's connections are new, and would plan a function's statements up to six times each.
  plan_cache_mode: 'force_generic_plan',
} as const

function serverArguments({ folder, port, durable, more }: ServerSettings): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    // Paths of sockets are limited to about 100 bytes; a checkout in a deep folder exceeds that.
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '256MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Statements here are short; compiling one costs more than running it.
    jit: 'off',
    // To start the helpers of a scan can take tens of milliseconds on a small machine, more than Postgres reckons with (1000). A
    // count of 200,000 products took 64 ms with two of them, and takes 18 alone.
    parallel_setup_cost: '10000',
    // For the change feed, whose slots may keep this much of the log: one that is further behind is dropped.
    wal_level: 'logical',
    max_slot_wal_keep_size: '512MB',
    ...(durable ? durableSettings : testSettings),
    ...more,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', folder, '-p', String(port), ...flags]
}

/**
 * Stops Postgres as soon as this process ends, even by kill -9: a shell waits for the end of a pipe that only this
 * process holds open. Returns a function that ends the watch.
 */
function endWithThisProcess(server: ChildProcess): () => void {
  if (process.platform === 'win32' || server.pid === undefined) return () => undefined
  const script = 'trap "" INT TERM HUP; read -r _ && exit 0; kill -INT "$0"'
  const watch = spawn('/bin/sh', ['-c', script, String(server.pid)], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watch.stdin.on('error', () => undefined)
  watch.on('error', () => undefined)
  return () => watch.stdin.end('\n')
}

async function ready(
  child: ChildProcess,
  exit: Promise<ServerExit>,
  { folder, logFile, patienceMs = startTimeoutMs }: ServerSettings,
  stop: () => Promise<void>,
): Promise<void> {
  const ended = exit.then((outcome) => outcome)
  for (const deadline = Date.now() + patienceMs; ;) {
    const outcome = await Promise.race([ended, sleep(20)])
    if (outcome?.kind === 'crashed') throw new LocalPostgresError(`Postgres did not start: ${outcome.reason}`)
    if (await reportsReady(folder, child.pid)) return
    if (Date.now() > deadline) {
      await stop()
      throw new LocalPostgresError(
        `Postgres did not start within ${patienceMs / 1_000} seconds:\n${logTail(logFile)}`,
      )
    }
  }
}

/**
 * As pg_ctl does it: the server writes its process id into the first line of this file, and its state into the eighth.
 */
async function reportsReady(folder: string, pid: number | undefined): Promise<boolean> {
  const lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

/** Tries a fast shutdown first (rolls sessions back, writes data), then harder signals. */
async function stopServer(child: ChildProcess, exit: Promise<ServerExit>): Promise<void> {
  const attempts = [
    ['SIGINT', fastStopMs],
    ['SIGQUIT', immediateStopMs],
    ['SIGKILL', immediateStopMs],
  ] as const
  for (const [signal, patience] of attempts) {
    child.kill(signal)
    if (await settledWithin(exit, patience)) return
  }
}

async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      promise.then(() => true),
      sleep(milliseconds, false, { signal: timer.signal, ref: true }),
    ])
  } finally {
    timer.abort()
  }
}

function keepLogShort(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > logLimitBytes) truncateSync(logFile)
}

const logTail = (logFile: string): string =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n')

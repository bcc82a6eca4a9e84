import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '@commerce-graph/local-postgres'
import { listenerCount } from './ports.ts'

const packageFolder = path.resolve(import.meta.dirname, '..')
const startTimeoutMs = 120_000

/** The contents of ready.json (docs/operating.md). */
export interface Ready {
  readonly graphqlUrl: string
  readonly hasuraUrl: string
  /** Null for a live deployment. */
  readonly paymentSandboxUrl: string | null
  readonly adminSecret: string
  readonly databaseUrl: string
  /** Of the platform's own Postgres; missing with another one. */
  readonly superuserUrl?: string
  readonly liveKey: string
  readonly publishableKey: string
  readonly testKey: string
  readonly merchantId: string
  /** The process id. */
  readonly pid: number
}

/** Those of this process that are not removed yet. */
const present = new Set<PlatformProcess>()

let areRemovedOnSignals = false

/** Ctrl-C of a benchmark, or a `kill` of it, leaves no platform and no data behind. */
function removeOnSignals(): void {
  if (areRemovedOnSignals) return
  areRemovedOnSignals = true
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void removeAll(signal))
}

/** Ends with the signal. */
async function removeAll(signal: NodeJS.Signals): Promise<void> {
  // Two of them may share a folder.
  await Promise.allSettled([...present].map((each) => each.stop()))
  await Promise.allSettled([...present].map((each) => each.remove()))
  process.kill(process.pid, signal)
}

/** The platform as an operator runs it: its own process on its own data folder, which tests can kill. */
export class PlatformProcess {
  readonly dataDir: string
  /** The first of its ports. */
  readonly port: number
  readonly #isKept: boolean
  #child: ChildProcess | undefined
  #output = ''

  private constructor(dataDir: string, port: number, isKept = false) {
    this.dataDir = dataDir
    this.port = port
    this.#isKept = isKept
    removeOnSignals()
    present.add(this)
  }

  static async create(): Promise<PlatformProcess> {
    return new PlatformProcess(
      await mkdtemp(path.join(tmpdir(), 'commerce-graph-')),
      await freePorts(listenerCount),
    )
  }

  /** In a folder that stays when it is removed. */
  static async createIn(dataDir: string): Promise<PlatformProcess> {
    await mkdir(dataDir, { recursive: true })
    return new PlatformProcess(dataDir, await freePorts(listenerCount), true)
  }

  /** Its output since its last start. */
  get output(): string {
    return this.#output
  }

  /** @param env in addition to the common environment of such platforms */
  async start(env: Readonly<Record<string, string>> = {}): Promise<Ready> {
    const child = this.launch(env)
    const deadline = Date.now() + startTimeoutMs
    while (Date.now() < deadline) {
      if (child.exitCode !== null)
        throw new Error(`the platform ended with ${child.exitCode}:\n${this.#output}`)
      const ready = await this.#readReadyFile(child.pid)
      if (ready !== undefined) return ready
      await delay(100)
    }
    throw new Error(`the platform was not ready within ${startTimeoutMs} ms:\n${this.#output}`)
  }

  /** The process of the last start. */
  child(): ChildProcess {
    if (this.#child === undefined) throw new Error('the platform was not started')
    return this.#child
  }

  /** Starts the platform without waiting for it. */
  launch(env: Readonly<Record<string, string>> = {}): ChildProcess {
    this.#output = ''
    const child = spawn(process.execPath, ['bin/start.ts'], {
      cwd: packageFolder,
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DATA_DIR: this.dataDir,
        PORT: String(this.port),
        DATABASE_URL: '',
        REDIS_URL: '',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    this.#child = child
    return child
  }

  /** Kills it like the kernel's out-of-memory killer: no handler runs, no buffer is flushed. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops it like Ctrl-C. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** Another platform on the same folder with other ports. */
  beside(): PlatformProcess {
    return new PlatformProcess(this.dataDir, this.port + 2 * listenerCount, this.#isKept)
  }

  /** Stops it and removes its files, unless they are kept. */
  async remove(): Promise<void> {
    await this.stop()
    if (!this.#isKept) await rm(this.dataDir, { recursive: true, force: true })
    present.delete(this)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  /** A killed platform leaves its ready.json behind; only a file with the new process's id is valid. */
  async #readReadyFile(pid: number | undefined): Promise<Ready | undefined> {
    try {
      const ready = JSON.parse(await readFile(path.join(this.dataDir, 'ready.json'), 'utf8')) as Ready
      return ready.pid === pid ? ready : undefined
    } catch {
      return undefined
    }
  }
}

import { mkdirSync, renameSync, rmSync, existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { compressFiles } from './compress-files.ts'
import { copySources, hashSources } from './admin-sources.ts'
import { runBounded } from './run-bounded.ts'

/** How far the pages of `/admin` are. */
export type AdminState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'building'; readonly step: BuildStep; readonly since: number }
  | { readonly kind: 'ready'; readonly folder: string }
  | { readonly kind: 'failed'; readonly step: BuildStep; readonly reason: string; readonly at: number }

export const buildSteps = ['install', 'build', 'compress'] as const
export type BuildStep = (typeof buildSteps)[number]

/** Milliseconds. */
const installTimeout = 5 * 60_000
const buildTimeout = 2 * 60_000
/** After a failure, a visit tries again no sooner. */
const retryAfter = 30_000

export interface AdminBuildOptions {
  /** The folder for the pages of all versions, in the data folder. */
  readonly folder: string
  readonly logger: Logger
}

/** Builds the pages once for each version of their sources, one build at a time, while everything else goes on. */
export class AdminBuild {
  readonly #folder: string
  readonly #logger: Logger
  readonly #stopped = new AbortController()
  #state: AdminState = { kind: 'absent' }
  #running: Promise<void> | undefined

  constructor({ folder, logger }: AdminBuildOptions) {
    this.#folder = folder
    this.#logger = logger
  }

  get state(): AdminState {
    return this.#state
  }

  /** Called at each visit: begins what isn't there yet, and returns at once. */
  begin(): void {
    const { kind } = this.#state
    if (kind === 'ready' || this.#running !== undefined || this.#stopped.signal.aborted) return
    if (this.#state.kind === 'failed' && Date.now() - this.#state.at < retryAfter) return
    const built = join(this.#folder, hashSources())
    if (existsSync(built)) {
      this.#state = { kind: 'ready', folder: built }
      return
    }
    this.#running = this.#build(built).finally(() => (this.#running = undefined))
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  async #build(built: string): Promise<void> {
    // Another process may build into the same folder.
    const work = `${built}.${process.pid}.work`
    try {
      await this.#buildIn(work, built)
    } catch (error) {
      const step = this.#state.kind === 'building' ? this.#state.step : 'install'
      this.#fail(step, error instanceof Error ? error.message : String(error))
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }

  async #buildIn(work: string, built: string): Promise<void> {
    this.#enter('install')
    rmSync(work, { recursive: true, force: true })
    mkdirSync(work, { recursive: true })
    copySources(work)
    const cwd = join(work, 'admin')
    const { signal } = this.#stopped
    const npm = npmCommand()
    // No script of a package runs: the build needs none of them.
    const args = [
      ...npm.args,
      'ci',
      '--omit=dev',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
    ]
    const installing = { command: npm.command, args, cwd, timeoutMilliseconds: installTimeout, signal }
    const notInstalled = await runBounded(installing)
    if (notInstalled !== null) {
      this.#fail('install', notInstalled)
      return
    }
    this.#enter('build')
    const vite = join(cwd, 'node_modules/vite/bin/vite.js')
    const building = {
      command: process.execPath,
      args: [vite, 'build'],
      cwd,
      timeoutMilliseconds: buildTimeout,
      signal,
    }
    const notBuilt = await runBounded(building)
    if (notBuilt !== null) {
      this.#fail('build', notBuilt)
      return
    }
    this.#enter('compress')
    const pages = join(cwd, 'dist')
    await compressFiles(pages)
    if (!existsSync(built)) renameSync(pages, built)
    this.#forgetOthers(built)
    this.#state = { kind: 'ready', folder: built }
    this.#logger.info({ folder: built }, 'the pages of /admin are built')
  }

  /** Pages of former versions, and what a killed build has left. */
  #forgetOthers(built: string): void {
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name)
      if (path !== built && !path.startsWith(`${built}.`)) rmSync(path, { recursive: true, force: true })
    }
  }

  #enter(step: BuildStep): void {
    const since = this.#state.kind === 'building' ? this.#state.since : Date.now()
    this.#state = { kind: 'building', step, since }
  }

  #fail(step: BuildStep, reason: string): void {
    this.#state = { kind: 'failed', step, reason, at: Date.now() }
    if (!this.#stopped.signal.aborted)
      this.#logger.warn({ step, reason }, 'the pages of /admin could not be built')
  }
}

/** The npm that has started the platform, or the one beside Node or in PATH. */
function npmCommand(): { readonly command: string; readonly args: readonly string[] } {
  const script = [
    process.env['npm_execpath'],
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ].find((path) => path?.endsWith('npm-cli.js') === true && existsSync(path))
  return script === undefined ? { command: 'npm', args: [] } : { command: process.execPath, args: [script] }
}

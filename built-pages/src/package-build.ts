import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { BuildStep, PagesPackage } from './pages-package.ts'
import { copySources, hashSources } from './sources.ts'

/** How far the pages are. */
export type BuildState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'building'; readonly step: BuildStep; readonly since: number }
  | { readonly kind: 'ready'; readonly folder: string }
  | { readonly kind: 'failed'; readonly step: BuildStep; readonly reason: string; readonly at: number }

/** Milliseconds: after a failure, a visit tries again no sooner. */
const retryAfter = 30_000

export interface PackageBuildOptions {
  readonly pages: PagesPackage
  /** The folder for the pages of all versions, in the data folder. */
  readonly folder: string
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Told of each step when it begins. */
  readonly onStep?: (step: BuildStep) => void
}

/** Builds the pages once for each version of their sources, one build at a time, while everything else goes on. */
export class PackageBuild {
  readonly pages: PagesPackage
  readonly #options: PackageBuildOptions
  readonly #stopped = new AbortController()
  #state: BuildState = { kind: 'absent' }
  #running: Promise<void> | undefined

  constructor(options: PackageBuildOptions) {
    this.#options = options
    this.pages = options.pages
  }

  get state(): BuildState {
    return this.#state
  }

  /** Called at each visit: begins what isn't there yet, and returns at once. */
  begin(): void {
    const { kind } = this.#state
    if (kind === 'ready' || this.#running !== undefined || this.#stopped.signal.aborted) return
    if (this.#state.kind === 'failed' && Date.now() - this.#state.at < retryAfter) return
    const built = join(this.#options.folder, hashSources(this.pages.sources))
    if (existsSync(built)) {
      this.#state = { kind: 'ready', folder: built }
      return
    }
    this.#running = this.#build(built).finally(() => (this.#running = undefined))
  }

  /** Begins what isn't there yet, and waits for its end. */
  async finish(): Promise<BuildState> {
    this.begin()
    await this.#running
    return this.#state
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  async #build(built: string): Promise<void> {
    // Another process may build into the same folder.
    const work = `${built}.${process.pid}.work`
    try {
      rmSync(work, { recursive: true, force: true })
      mkdirSync(work, { recursive: true })
      copySources(this.pages.sources, work)
      await this.#runSteps(work, built)
    } catch (error) {
      const [first] = this.pages.steps
      const step = this.#state.kind === 'building' ? this.#state.step : first
      if (step !== undefined) this.#fail(step, error instanceof Error ? error.message : String(error))
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }

  async #runSteps(work: string, built: string): Promise<void> {
    const cwd = join(work, this.pages.folder)
    for (const step of this.pages.steps) {
      this.#enter(step)
      const reason = await step.run(cwd, this.#stopped.signal)
      if (reason !== null) {
        this.#fail(step, reason)
        return
      }
    }
    if (!existsSync(built)) renameSync(join(cwd, this.pages.output), built)
    this.#forgetOthers(built)
    this.#state = { kind: 'ready', folder: built }
    this.#options.logger.info({ folder: built }, `${this.pages.title} is built`)
  }

  /** Pages of former versions, and what a killed build has left. */
  #forgetOthers(built: string): void {
    const { folder } = this.#options
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (path !== built && !path.startsWith(`${built}.`)) rmSync(path, { recursive: true, force: true })
    }
  }

  #enter(step: BuildStep): void {
    const since = this.#state.kind === 'building' ? this.#state.since : Date.now()
    this.#state = { kind: 'building', step, since }
    this.#options.onStep?.(step)
  }

  #fail(step: BuildStep, reason: string): void {
    this.#state = { kind: 'failed', step, reason, at: Date.now() }
    if (!this.#stopped.signal.aborted)
      this.#options.logger.warn({ step: step.name, reason }, `${this.pages.title} could not be built`)
  }
}

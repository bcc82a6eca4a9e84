import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@commerce-graph/local-postgres'
import { Program } from './program.ts'
import { ReadyProxy } from './ready-proxy.ts'

export type Role = 'gateway' | 'engine' | 'actions' | 'webhook' | 'worker'

const repository = path.resolve(import.meta.dirname, '../..')
/** Where each role listens, counted from the process's first port. */
const offsets: Readonly<Record<Role, number>> = { gateway: 0, engine: 1, webhook: 2, actions: 3, worker: 5 }
/** Those of all processes. */
export const encryptionKeys = `one:${Buffer.alloc(32, 'a key').toString('base64')}`
const startTimeoutMs = 120_000

/** A process of some roles, as an operator runs it. */
export class RoleProcess {
  readonly roles: readonly Role[]
  readonly port: number
  readonly #program: Program

  constructor(roles: readonly Role[], port: number, tree: string, env: Readonly<Record<string, string>>) {
    this.roles = roles
    this.port = port
    this.#program = new Program(path.join(tree, 'platform/bin/start.ts'), ['--role', roles.join(',')], {
      ...env,
      PORT: String(port),
    })
  }

  get output(): string {
    return this.#program.output
  }

  get hasEnded(): boolean {
    return this.#program.hasEnded
  }

  addressOf(role: Role): string {
    return `http://127.0.0.1:${this.port + offsets[role]}`
  }

  async ready(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    while (!this.output.includes(`The role ${this.roles.at(-1)} is ready`)) {
      if (this.hasEnded)
        throw new Error(
          `the roles ${this.roles.join(',')} ended with ${this.#program.ending}:\n${this.output}`,
        )
      if (Date.now() > deadline) throw new Error(`not ready in time:\n${this.output}`)
      await sleep(50)
    }
  }

  /** Stops it as a supervisor does, and resolves with its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.#program.kill(signal)
    return this.#program.ended()
  }

  /** It keeps its connections and does nothing, as a machine that hangs. */
  freeze(): void {
    this.#program.kill('SIGSTOP')
  }

  thaw(): void {
    this.#program.kill('SIGCONT')
  }
}

/** Processes of roles on one database, with a proxy before each role that sends requests to those that are ready. */
export class RoleProcesses {
  readonly processes: RoleProcess[] = []
  readonly proxies: Readonly<Record<Role, ReadyProxy>>
  readonly adminSecret = 'admin-secret-of-the-roles'
  readonly actionsSecret = 'actions-secret-of-the-roles'
  readonly #files = mkdtempSync(path.join(tmpdir(), 'role-files-'))
  readonly #env: Readonly<Record<string, string>>

  private constructor(
    proxies: Readonly<Record<Role, ReadyProxy>>,
    databaseUrl: string,
    env: Readonly<Record<string, string>>,
  ) {
    this.proxies = proxies
    this.#env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: '',
      HASURA_GRAPHQL_ADMIN_SECRET: this.adminSecret,
      ACTIONS_SECRET: this.actionsSecret,
      ENCRYPTION_KEYS: encryptionKeys,
      GATEWAY_URL: proxies.gateway.url,
      HASURA_URL: proxies.engine.url,
      WEBHOOK_URL: proxies.webhook.url,
      ACTIONS_URL: proxies.actions.url,
      FILES_URL: `${proxies.gateway.url}/files`,
      FILES_FOLDER: this.#files,
      DATA_DIR: this.#files,
      UNSUBSCRIBE_URL: 'http://127.0.0.1/unsubscribe',
      ...env,
    }
  }

  static async open(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<RoleProcesses> {
    const [gateway, engine, actions, webhook, worker] = await Promise.all(
      Array.from({ length: 5 }, () => ReadyProxy.open()),
    )
    if (!gateway || !engine || !actions || !webhook || !worker) throw new Error('a proxy is missing')
    return new RoleProcesses({ gateway, engine, actions, webhook, worker }, databaseUrl, env)
  }

  /**
   * Starts a process.
   *
   * @param options.tree another version of the code
   * @param options.env in addition to what all processes have
   */
  async start(
    roles: readonly Role[],
    {
      tree = repository,
      env = {},
    }: { readonly tree?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<RoleProcess> {
    const started = new RoleProcess(roles, await freePorts(6), tree, { ...this.#env, ...env })
    this.processes.push(started)
    for (const role of roles) this.proxies[role].add(started.addressOf(role))
    return started
  }

  /** Until the process gets requests. */
  async served(one: RoleProcess): Promise<void> {
    await one.ready()
    const deadline = Date.now() + startTimeoutMs
    while (!one.roles.every((role) => this.proxies[role].isReady(one.addressOf(role)))) {
      if (Date.now() > deadline) throw new Error(`/readyz is not 200 in time:\n${one.output}`)
      await sleep(50)
    }
  }

  /** Runs `npm run migrate` with the roles' own settings, and resolves with its exit code and what it printed. */
  async migrate(
    args: readonly string[],
    tree: string = repository,
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const program = new Program(path.join(tree, 'platform/bin/migrate.ts'), args, this.#env)
    const code = await program.ended()
    return { code, output: program.output }
  }

  /** Stops a process like a supervisor; the proxies forget it when it has ended. */
  async stop(one: RoleProcess): Promise<number | null> {
    const code = await one.stop()
    for (const role of one.roles) this.proxies[role].remove(one.addressOf(role))
    this.processes.splice(this.processes.indexOf(one), 1)
    return code
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop('SIGINT')))
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.close()))
    rmSync(this.#files, { recursive: true, force: true })
  }
}

import { freePorts } from '@commerce-graph/local-postgres'
import { execFile, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The programs of a Postgres that the machine's packages have installed, the latest version's. */
const programs = globSync('/usr/lib/postgresql/*/bin')
  .filter((folder) => existsSync(path.join(folder, 'initdb')))
  .sort((a, b) => Number(a.split('/')[4]) - Number(b.split('/')[4]))
  .at(-1)

/** Whether this machine has pgBackRest, and a Postgres with its programs. */
export const hasPgBackRest = programs !== undefined && spawnSync('pgbackrest', ['version']).status === 0

/** Neither Postgres nor pgBackRest runs as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const user = 'commerce'

/** A Postgres of the machine's packages whose log pgBackRest archives, as docs/backup.md sets both up. */
export class BackedUpPostgres {
  readonly #folder: string
  readonly #data: string
  readonly #port: number

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#data = path.join(folder, 'data')
    this.#port = port
  }

  static async start(): Promise<BackedUpPostgres> {
    const folder = mkdtempSync(path.join(tmpdir(), 'pgbackrest-'))
    const server = new BackedUpPostgres(folder, await freePorts(1))
    for (const name of ['repository', 'log', 'lock', 'spool']) mkdirSync(path.join(folder, name))
    writeFileSync(path.join(folder, 'pgbackrest.conf'), server.#settings())
    if (account.uid !== undefined)
      for (const name of ['', ...readdirSync(folder)])
        chownSync(path.join(folder, name), account.uid, account.gid)
    await server.#program('initdb', '--pgdata', server.#data, '--username', user, '--auth', 'trust')
    writeFileSync(
      path.join(server.#data, 'postgresql.auto.conf'),
      [
        `port = ${server.#port}`,
        `unix_socket_directories = '${folder}'`,
        'archive_mode = on',
        'archive_timeout = 60',
        `archive_command = '${server.#pgBackRest('archive-push', '%p').join(' ')}'`,
        '',
      ].join('\n'),
    )
    await server.boot()
    await server.backRest('stanza-create')
    return server
  }

  get url(): string {
    return `postgres://${user}@127.0.0.1:${this.#port}/postgres`
  }

  async boot(): Promise<void> {
    const log = path.join(this.#folder, 'log/postgres.log')
    await this.#program('pg_ctl', 'start', '--wait', '--pgdata', this.#data, '--log', log)
  }

  /** At once, as when the machine fails. */
  async halt(): Promise<void> {
    await this.#program('pg_ctl', 'stop', '--mode', 'immediate', '--pgdata', this.#data)
  }

  /** Runs a command of pgBackRest's. */
  async backRest(...args: readonly string[]): Promise<void> {
    const [file = '', ...rest] = this.#pgBackRest(...args)
    await run(file, rest, { ...account, cwd: this.#folder })
  }

  async remove(): Promise<void> {
    await this.halt().catch(() => undefined)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #pgBackRest(...args: readonly string[]): readonly string[] {
    return [
      'pgbackrest',
      `--config=${path.join(this.#folder, 'pgbackrest.conf')}`,
      '--stanza=commerce',
      ...args,
    ]
  }

  async #program(name: string, ...args: readonly string[]): Promise<void> {
    await run(path.join(programs ?? '', name), args, { ...account, cwd: this.#folder })
  }

  #settings(): string {
    const at = (name: string): string => path.join(this.#folder, name)
    return [
      '[global]',
      `repo1-path=${at('repository')}`,
      'repo1-retention-full=2',
      'start-fast=y',
      `log-path=${at('log')}`,
      `lock-path=${at('lock')}`,
      `spool-path=${at('spool')}`,
      '[commerce]',
      `pg1-path=${this.#data}`,
      `pg1-port=${this.#port}`,
      `pg1-socket-path=${this.#folder}`,
      `pg1-user=${user}`,
      '',
    ].join('\n')
  }
}

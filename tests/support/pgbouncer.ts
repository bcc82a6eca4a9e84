import { freePorts } from '@commerce-graph/local-postgres'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether this machine has one. */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0

export interface PgBouncer {
  /** The database as its clients reach it. */
  readonly url: string
  stop(): Promise<void>
}

/** PgBouncer refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/**
 * Starts a PgBouncer in transaction mode in front of a database.
 *
 * @param poolSize connections to Postgres at most, of each user
 * @param logins the addresses whose users it lets in, each as itself; absent: all come as the user of the database's address
 */
export async function startPgBouncer(
  databaseUrl: string,
  poolSize: number,
  logins: readonly string[] = [],
): Promise<PgBouncer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pgbouncer-'))
  const port = await freePorts(1)
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const user = logins.length === 0 ? ` user=${username} password=${password}` : ''
  const server = `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)}${user}`
  const known = logins.map((url) => new URL(url)).map((login) => `"${login.username}" "${login.password}"\n`)
  await writeFile(path.join(folder, 'users.txt'), known.join(''))
  const settings = [
    '[databases]',
    `shop = ${server}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    ...(logins.length === 0
      ? ['auth_type = any']
      : ['auth_type = trust', `auth_file = ${path.join(folder, 'users.txt')}`]),
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 5000',
    '',
  ]
  const file = path.join(folder, 'pgbouncer.ini')
  await writeFile(file, settings.join('\n'))
  for (const name of [folder, file, path.join(folder, 'users.txt')])
    if (nobody.uid !== undefined) await chown(name, nobody.uid, nobody.gid)
  const child = spawn('pgbouncer', ['--quiet', file], { stdio: 'ignore', ...nobody })
  await accepting(child, port)
  return {
    url: `postgres://shop@127.0.0.1:${port}/shop`,
    async stop() {
      const exited = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await exited
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function accepting(child: ChildProcess, port: number): Promise<void> {
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer has ended with ${child.exitCode}`)
    await sleep(20)
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const answer = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })

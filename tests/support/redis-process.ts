import { freePorts } from '@commerce-graph/local-postgres'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether this machine has one. The product doesn't need it by default. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** A Redis on its own port without persistence that tests can stop and start again. */
export class RedisProcess {
  readonly port: number
  #child: ChildProcess | undefined

  private constructor(port: number) {
    this.port = port
  }

  static async start(): Promise<RedisProcess> {
    const redis = new RedisProcess(await freePorts(1))
    await redis.start()
    return redis
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    this.#child = spawn('redis-server', settings, { stdio: 'ignore' })
    while (!(await accepts(this.port))) await sleep(20)
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** Keeps its connections open without answering. */
  freeze(): Promise<void> {
    this.#child?.kill('SIGSTOP')
    return Promise.resolve()
  }

  thaw(): Promise<void> {
    this.#child?.kill('SIGCONT')
    return Promise.resolve()
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

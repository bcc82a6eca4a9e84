import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import postgres from '@commerce-graph/postgres-driver'
import express from 'express'
import { vi } from 'vitest'
import type { Answer } from '../action/answer.ts'
import type { Database } from '../database.ts'
import { listen } from '../http/listen.ts'
import { openPaymentAccounts, paymentWebhooks, reconcilePayments } from '../payment/index.ts'
import { balanceProcessor, manualProcessor } from '../processors/index.ts'
import { actionsByDomain, webhookOptions } from '../start-actions.ts'
import { passedHeaders } from './recording-proxy.ts'
import { silent, staff, type TestMerchant, type TestShop } from './test-shop.ts'

/**
 * The life of an instance, which ends just before one of its effects, counted from 1. To die before an effect is also
 * to die after the effect before it, with or without its answer: nothing else of an instance can be seen from
 * outside.
 */
export class Life {
  /** The effects on the outside world so far, in order: statements, and requests to the processor. */
  readonly effects: string[] = []
  readonly ended: Promise<undefined>
  isOver = false
  readonly #last: number | null
  readonly #end: () => void

  /** @param last the effect that it doesn't live to see; null: it lives on */
  constructor(last: number | null = null) {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.ended = promise
    this.#end = () => {
      this.isOver = true
      resolve(undefined)
    }
    this.#last = last
  }

  /** Asked before each effect. False: the instance is dead, and there must be no effect. */
  goesOn(effect: string): boolean {
    if (!this.isOver) {
      this.effects.push(effect)
      if (this.effects.length === this.#last) this.#end()
    }
    return !this.isOver
  }
}

/** The payments' part of a process: its actions, its reconciler, its webhooks, and its connections. */
export interface MortalInstance {
  readonly database: Database
  call(merchant: TestMerchant, name: string, input: object, idempotencyKey: string): Promise<Answer>
  /** Runs the reconciler once no dead instance's connection holds its lock any more. */
  reconcile(): Promise<number>
  /** Where processors post to: `<url>/stripe/<account>`. */
  readonly webhookUrl: string
  /** Settles when the processor has done what it was sent, also by an instance that is dead. */
  readonly answered: () => Promise<void>
  close(): Promise<void>
}

/**
 * Starts an instance that ends for good when its life is over: its connections to the database are destroyed, as the kernel does for a
 * killed process, and nothing gets through to the database or the processor any more.
 */
export async function openInstance(shop: TestShop, life: Life): Promise<MortalInstance> {
  const { secretBox, databaseUrl } = shop
  const database = mortalDatabase(databaseUrl, life)
  const proxy = await mortalProxy(shop.sandboxUrl, life)
  const tokenIssuer = createTokenIssuer({ databaseUrl, secretBox })
  // Another address for each instance: a process has none of the tokens that another one was given.
  const endpoints = { sandbox: `${proxy.url}/${randomUUID()}` }
  const domains = actionsByDomain(
    { cardProcessor: null, endpoints, files: shop.files, uninterrupted: database },
    { database, tokenIssuer, secretBox },
  )
  const actions = Object.assign({}, ...Object.values(domains)) as (typeof domains)[string]
  const accounts = openPaymentAccounts({ database, secretBox, endpoints })
  const webhooks = paymentWebhooks(
    webhookOptions({ cardProcessor: null, secretBox, endpoints, logger: silent }, database),
  )
  const listener = await listen(express().use(webhooks), { port: 0 })
  return {
    database,
    async call(merchant, name, input, idempotencyKey) {
      const action = actions[name]
      if (action === undefined) throw new Error(`There is no action ${name}.`)
      const key = { value: idempotencyKey, part: '', replayed: false }
      return action.run({
        action: name,
        session: staff(merchant),
        input,
        idempotencyKey: key,
        origin: null,
      })
    },
    async reconcile() {
      await reconcilersAreGone(shop.database)
      return reconcilePayments({
        database,
        processors: [manualProcessor, balanceProcessor],
        accounts,
        after: 0,
        logger: silent,
      })
    },
    webhookUrl: listener.url,
    answered: proxy.answered,
    async close() {
      await proxy.close()
      await database.end({ timeout: 0 })
      await tokenIssuer.close()
      await listener.close()
    },
  }
}

/** The cluster is shared with other tests, whose databases have advisory locks of their own. */
async function reconcilersAreGone(database: Database): Promise<void> {
  const held = async () => database`
    SELECT FROM pg_locks
    WHERE locktype = 'advisory'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  await vi.waitUntil(async () => (await held()).length === 0, { interval: 5, timeout: 10_000 })
}

const poolSize = 4

/** The driver's types lack `socket`. */
type DriverOptions = NonNullable<Parameters<typeof postgres>[1]>

function mortalDatabase(databaseUrl: string, life: Life): Database {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  return postgres(databaseUrl, {
    max: poolSize,
    onnotice: () => undefined,
    // The driver calls it with each statement, before it writes to the connection.
    debug(_connection, query) {
      // The driver's own, about types.
      if (query.includes('pg_catalog.pg_type')) return
      if (!life.goesOn(query.replace(/\s+/g, ' ').trim())) for (const socket of sockets) socket.destroy()
    },
    async socket() {
      if (life.isOver) throw new Error('The instance is dead.')
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
  } as DriverOptions)
}

/** The part of the path that is the instance's own. Clients of Stripe leave it out. */
const instancePath = /^\/[0-9a-f-]{36}(?=\/)/

/** Before the processor. A request counts twice: a process may die before it is sent, and before it is answered. */
async function mortalProxy(target: string, life: Life) {
  const sent = new Set<Promise<unknown>>()
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request)
    const { method = '', url: asked = '' } = request
    const url = asked.replace(instancePath, '')
    const name = `${method} ${url
      .replace(/\?.*/, '')
      .replace(/_\w{8,}/g, '_…')
      .replace(/\b[A-Z0-9]{17}\b/g, '…')}`
    if (!life.goesOn(name)) return void response.destroy()
    const answer = fetch(`${target}${url}`, {
      method,
      headers: passedHeaders(request),
      body: body.length > 0 ? body : null,
    })
    sent.add(answer.catch(() => undefined))
    if (!life.goesOn(`the answer to ${name}`)) return void response.destroy()
    const { status, headers } = await answer
    response.writeHead(status, { 'content-type': headers.get('content-type') ?? 'application/json' })
    response.end(Buffer.from(await (await answer).arrayBuffer()))
  }
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: async () => {
      await Promise.all(sent)
    },
    async close() {
      await Promise.all(sent)
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

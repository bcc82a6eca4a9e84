import { freePorts, isPortFree } from '@commerce-graph/local-postgres'
import type { PortChoice } from './configuration.ts'
import type { RoleAddresses } from './role-variables.ts'
import { PlatformError } from './platform-error.ts'

/** In the order of their ports, from the configured port on. */
const listeners = ['gateway', 'engine', 'authWebhook', 'actions', 'paymentSandbox', 'postgres'] as const

/** How many consecutive ports a platform takes. */
export const listenerCount = listeners.length

export type ListenerName = (typeof listeners)[number]
export type Ports = Readonly<Record<ListenerName, number>>

/** With the port on which the worker tells its health. */
export type RolePorts = Ports & { readonly worker: number }

/** What can take a port here: the worker answers for its health, where it runs apart. */
type PortTaker = ListenerName | 'worker'

const meantFor: Readonly<Record<PortTaker, string>> = {
  gateway: 'the contract (/graphql)',
  engine: 'the Hasura engine',
  authWebhook: 'the auth webhook',
  actions: 'the actions',
  paymentSandbox: 'the payment sandbox',
  postgres: 'Postgres',
  worker: 'the health of the worker',
}

/**
 * The port of every listener. All are chosen before the first listener starts, because the services need each
 * other's addresses.
 */
export async function choosePorts(choice: PortChoice): Promise<Ports> {
  const first = choice.kind === 'from' ? choice.first : await freePorts(listenerCount)
  return Object.fromEntries(listeners.map((name, index) => [name, first + index])) as Record<
    ListenerName,
    number
  >
}

/**
 * The ports of roles that run apart. Their own ones may be set; the payment sandbox takes any free one, because its state is
 * in the database, so that each process can have its own.
 */
export const portsOfRoles = (first: number, own: RoleAddresses): RolePorts => ({
  gateway: first,
  engine: own.enginePort ?? first + 1,
  authWebhook: own.webhookPort ?? first + 2,
  actions: own.actionsPort ?? first + 3,
  paymentSandbox: 0,
  worker: own.workerPort ?? first + 5,
  postgres: 0,
})

/** Throws before anything is started, so that a busy port never leaves a partly started platform. */
export async function checkPorts<Taker extends PortTaker>(
  ports: Readonly<Record<Taker, number>>,
  needed: readonly Taker[],
): Promise<void> {
  const free = await Promise.all(needed.map((name) => isPortFree(ports[name])))
  const busy = needed.filter((_, index) => free[index] === false)
  if (busy.length === 0) return
  const list = busy.map((name) => `  ${ports[name]}, meant for ${meantFor[name]}`).join('\n')
  throw new PlatformError(
    `These ports are in use by other programs:\n${list}\nChoose others with PORT=<first of six ports> npm start.`,
  )
}

/** The listeners that take ports here. @param own false for those that run elsewhere, or not at all */
export const neededListeners = (
  own: Readonly<Partial<Record<ListenerName, boolean>>>,
): readonly ListenerName[] => listeners.filter((name) => own[name] ?? true)

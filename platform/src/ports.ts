import { isPortFree } from '@commerce-graph/local-postgres'
import { type PortChoice } from './configuration.ts'
import { PlatformError } from './platform-error.ts'

/** In the order of their ports, the first one on the port that was asked for. */
const LISTENERS = ['gateway', 'engine', 'authWebhook', 'actions', 'paymentSandbox', 'postgres'] as const

export type ListenerName = (typeof LISTENERS)[number]

/** The port of each listener; undefined stands for any free one. */
export type Ports = Readonly<Record<ListenerName, number | undefined>>

const NAMES: Readonly<Record<ListenerName, string>> = {
  gateway: 'the contract (/graphql)',
  engine: 'the Hasura engine',
  authWebhook: 'the auth webhook',
  actions: 'the actions',
  paymentSandbox: 'the payment sandbox',
  postgres: 'Postgres',
}

export function choosePorts(choice: PortChoice): Ports {
  const portOf = (index: number) => (choice.kind === 'from' ? choice.first + index : undefined)
  const entries = LISTENERS.map((name, index) => [name, portOf(index)] as const)
  return Object.fromEntries(entries) as Record<ListenerName, number | undefined>
}

/** Refuses before anything is started, so that a busy port never leaves half a platform running. */
export async function checkPorts(ports: Ports, needed: readonly ListenerName[]): Promise<void> {
  const fixed = needed.flatMap((name) => (ports[name] === undefined ? [] : [{ name, port: ports[name] }]))
  const free = await Promise.all(fixed.map(({ port }) => isPortFree(port)))
  const busy = fixed.filter((_, index) => free[index] === false)
  if (busy.length === 0) return
  const list = busy.map(({ name, port }) => `  ${port}, meant for ${NAMES[name]}`).join('\n')
  throw new PlatformError(
    `These ports are in use by other programs:\n${list}\nChoose others with PORT=<first of six ports> npm start.`,
  )
}

export const neededListeners = (embeddedPostgres: boolean): readonly ListenerName[] =>
  embeddedPostgres ? LISTENERS : LISTENERS.filter((name) => name !== 'postgres')

import { hasuraVersion } from '../hasura-version.ts'
import type { WebhookRequest } from './send-webhook.ts'

/** What Hasura says of itself and of the body to every webhook, whatever is configured or forwarded. */
export const defaultHeaders: WebhookRequest['headers'] = [
  ['Content-Type', 'application/json'],
  ['User-Agent', `hasura-graphql-engine/${hasuraVersion}`],
]

const names: ReadonlySet<string> = new Set(defaultHeaders.map(([name]) => name.toLowerCase()))

export const isDefaultHeader = (name: string): boolean => names.has(name.toLowerCase())

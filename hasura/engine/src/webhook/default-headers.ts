import { hasuraVersion } from '../hasura-version.ts'
import type { WebhookRequest } from './send-webhook.ts'

/** Hasura's headers of every request to a webhook. Configured and forwarded headers can't replace them. */
export const defaultHeaders: WebhookRequest['headers'] = [
  ['Content-Type', 'application/json'],
  ['User-Agent', `hasura-graphql-engine/${hasuraVersion}`],
]

const names: ReadonlySet<string> = new Set(defaultHeaders.map(([name]) => name.toLowerCase()))

export const isDefaultHeader = (name: string): boolean => names.has(name.toLowerCase())

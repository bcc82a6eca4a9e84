import { z } from 'zod'
import { url } from './url-variable.ts'

/** Where a role listens, and where its process reaches the roles of other processes. */
export interface RoleAddresses {
  /** The address of an engine that has its own process, and of the worker's health; loopback by default. */
  readonly engineHost?: string | undefined
  readonly workerHost?: string | undefined
  /** Ports that don't follow the contract's. */
  readonly enginePort?: number | undefined
  readonly webhookPort?: number | undefined
  readonly actionsPort?: number | undefined
  readonly workerPort?: number | undefined
  /** Without a slash at the end. The engine's is HASURA_URL. */
  readonly gatewayUrl?: string | undefined
  readonly webhookUrl?: string | undefined
  readonly actionsUrl?: string | undefined
}

const port = z
  .string()
  .regex(/^\d+$/, 'must be a port number')
  .transform(Number)
  .refine((value) => value >= 1 && value <= 65_535, { error: 'must be from 1 to 65535' })
  .optional()

const address = (example: string) =>
  url(/^https?$/, example)
    .transform((value) => value.replace(/\/+$/, ''))
    .optional()

export const roleVariables = {
  ENGINE_HOST: z.string().optional(),
  WORKER_HOST: z.string().optional(),
  ENGINE_PORT: port,
  WEBHOOK_PORT: port,
  ACTIONS_PORT: port,
  WORKER_PORT: port,
  GATEWAY_URL: address('http://gateway:4000'),
  WEBHOOK_URL: address('http://webhook:4002'),
  ACTIONS_URL: address('http://actions:4003'),
}

export const addressesOf = (values: {
  readonly [Name in keyof typeof roleVariables]?: z.output<(typeof roleVariables)[Name]>
}): RoleAddresses => ({
  engineHost: values.ENGINE_HOST,
  workerHost: values.WORKER_HOST,
  enginePort: values.ENGINE_PORT,
  webhookPort: values.WEBHOOK_PORT,
  actionsPort: values.ACTIONS_PORT,
  workerPort: values.WORKER_PORT,
  gatewayUrl: values.GATEWAY_URL,
  webhookUrl: values.WEBHOOK_URL,
  actionsUrl: values.ACTIONS_URL,
})

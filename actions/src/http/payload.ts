import { z } from 'zod'
import type { CallOrigin } from '../action/action.ts'
import { sessionVariables } from '../action/session.ts'

/** The body that Hasura posts to an action's handler. */
export const actionPayload = z.object({
  action: z.object({ name: z.string() }),
  input: z.record(z.string(), z.unknown()),
  session_variables: sessionVariables,
})

/** Among the session variables: where the request came from, as far as the gateway or the auth webhook knows. */
const originVariables = z.object({
  session_variables: z.object({
    'x-hasura-client-address': z.string().optional(),
    'x-hasura-operation-name': z.string().optional(),
    // Only the gateway names it.
    'x-hasura-root-field': z.string().optional(),
  }),
})

/** Reads a body that is known to be a call of an action. Its headers tell the request's id. */
export function callOrigin(body: unknown): Omit<CallOrigin, 'requestId'> {
  const { session_variables: variables } = originVariables.parse(body)
  return {
    clientAddress: variables['x-hasura-client-address'] ?? null,
    operationName: variables['x-hasura-operation-name'] ?? null,
    source: variables['x-hasura-root-field'] === undefined ? 'HASURA' : 'CONTRACT',
  }
}

const partVariable = z.object({
  session_variables: z.object({ 'x-hasura-idempotency-part': z.string().max(300).optional() }),
})

/** Which part of a request with an Idempotency-Key a call is, where the gateway says so. */
export const idempotencyPart = (body: unknown): string =>
  partVariable.parse(body).session_variables['x-hasura-idempotency-part'] ?? ''

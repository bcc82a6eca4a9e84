import { z } from 'zod'
import { sessionVariables } from '../action/session.ts'

/** What Hasura posts to an action's handler. */
export const actionPayload = z.object({
  action: z.object({ name: z.string() }),
  input: z.record(z.string(), z.unknown()),
  session_variables: sessionVariables,
})

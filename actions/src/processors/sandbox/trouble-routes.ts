import { type Request, Router } from 'express'
import { z } from 'zod'
import { send } from './answer-with-trouble.ts'
import { invalidParameter, ok } from './stripe-error.ts'
import type { Store } from './store.ts'
import { requestTroubles, webhookTroubles } from './troubles.ts'

const times = z.coerce.number().int().min(1).max(1_000).default(1)

/** The troubles that testers ask for, with the credentials of the account that is to have the trouble. */
export function troubleRoutes(
  store: Store,
  calls: readonly string[],
  accountOf: (request: Request) => string,
): Router {
  const planned = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('request'), call: z.enum(calls), trouble: z.enum(requestTroubles), times }),
    z.object({
      kind: z.literal('webhook'),
      call: z.literal('webhook'),
      trouble: z.enum(webhookTroubles),
      times,
    }),
  ])
  const router = Router()
  router.post('/', async (request, response) => {
    const form = (request.body ?? {}) as Readonly<Record<string, unknown>>
    const read = planned.safeParse({ ...form, kind: form['call'] === 'webhook' ? 'webhook' : 'request' })
    if (!read.success) {
      const [issue] = read.error.issues
      send(response, invalidParameter(issue?.path.join('.') ?? '', issue?.message ?? 'Invalid'))
      return
    }
    const { call, trouble, times } = read.data
    await store.planTrouble(accountOf(request), { call, trouble, times })
    send(response, ok({ call, trouble, times }))
  })
  router.delete('/', async (request, response) => {
    await store.endTroubles(accountOf(request))
    send(response, ok({}))
  })
  return router
}

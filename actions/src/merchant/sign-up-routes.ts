import { Router } from 'express'
import { z } from 'zod'
import { openSignedUp, requestSignUp, type SignUpOptions } from './sign-up.ts'

const request = z.record(z.string(), z.unknown())
const confirmation = z.object({ token: z.string().min(1).max(200) })

/**
 * The door for shops of strangers, at which no credential is asked for. The gateway forwards to it, and names the
 * client's network and address.
 *
 * - `POST /`: CreateMerchantInput. 202 `{}` whether or not a mail follows.
 * - `POST /confirm`: `{ "token" }` of the mail. 200 with the shop's id and keys.
 */
export function signUpRoutes(options: SignUpOptions): Router {
  const router = Router()
  router.post('/', async (call, response) => {
    const sent = request.safeParse(call.body)
    if (!sent.success) return void response.status(400).json({ errors: [noObject] })
    const outcome = await requestSignUp(options, sent.data, call.get('x-client-network') ?? null)
    switch (outcome.outcome) {
      case 'requested':
        return void response.status(202).json({})
      case 'invalid':
        return void response.status(400).json({ errors: outcome.errors })
      case 'too_many':
        return void response
          .status(429)
          .set('retry-after', String(outcome.retryAfter))
          .json({
            errors: [
              {
                field: null,
                message: 'Too many shops were asked for; try again later',
                code: 'RATE_LIMITED',
              },
            ],
          })
      default:
        outcome satisfies never
    }
  })
  router.post('/confirm', async (call, response) => {
    const sent = confirmation.safeParse(call.body)
    const opened = sent.success
      ? await openSignedUp(options, sent.data.token, call.get('x-client-address') ?? null)
      : null
    response.set('cache-control', 'no-store')
    if (opened === null) response.status(400).json({ errors: [badToken] })
    else response.json(opened)
  })
  return router
}

const noObject = { field: null, message: 'The body is a JSON object', code: 'INVALID_FORMAT' }
const badToken = {
  field: 'token',
  message: 'The token is unknown, has expired or was used',
  code: 'INVALID_VALUE',
}

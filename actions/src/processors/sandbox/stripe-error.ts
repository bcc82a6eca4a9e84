import type { StripeError } from './stripe-objects.ts'

/** The answer of a Stripe endpoint: a status and a body. */
export interface StripeAnswer {
  readonly status: number
  readonly body: object
}

export const ok = (body: object): StripeAnswer => ({ status: 200, body })

export const failed = (status: number, error: StripeError): StripeAnswer => ({ status, body: { error } })

export const invalidParameter = (param: string, message: string): StripeAnswer =>
  failed(400, { type: 'invalid_request_error', code: 'parameter_invalid', param, message })

export const missingResource = (status: 400 | 404, param: string, what: string, id: string): StripeAnswer =>
  failed(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${what}: '${id}'`,
  })

/** Something is wrong at Stripe. */
export const serverError = failed(500, { type: 'api_error', message: 'An unknown error occurred' })

export const refusedAsAsked = failed(400, {
  type: 'invalid_request_error',
  code: 'balance_insufficient',
  message: 'The sandbox refuses this request, as it was asked to.',
})

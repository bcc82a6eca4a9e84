import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { ValidateInput } from '../metadata/types.ts'
import type { InputValidation } from '../plan/input-validation.ts'
import { type ErrorCode, RequestError } from '../plan/request-error.ts'
import type { Session } from '../session/types.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import { type Environment, UnsetVariable, resolveTemplate } from '../webhook/environment.ts'
import { requestHeaders } from '../webhook/request-headers.ts'
import { type WebhookRequest, sendWebhook } from '../webhook/send-webhook.ts'

export interface ValidationCall {
  readonly environment: Environment
  readonly session: Session
  readonly clientHeaders?: IncomingHttpHeaders | undefined
  readonly trace?: TraceContext | undefined
  readonly signal?: AbortSignal | undefined
}

/** The version of the request's format. */
const version = 1

/** Seconds. */
const defaultTimeout = 10

/** The longest answer, which is a sentence. */
const maxAnswerBytes = 1024 * 1024

/**
 * Calls the services named by a role's permissions, one after the other. Throws RequestError as soon as one of them
 * refuses, with its message (`validation-failed`), or gives no valid answer (`unexpected`).
 */
export async function validateInputs(
  validations: readonly InputValidation[],
  call: ValidationCall,
): Promise<void> {
  for (const validation of validations) await validate(validation, call)
}

async function validate(
  { service: { definition }, input }: InputValidation,
  call: ValidationCall,
): Promise<void> {
  const { role, variables } = call.session
  const body = JSON.stringify({ version, role, session_variables: variables, data: { input } })
  const answer = await sendWebhook(requestTo(definition, body, call), {
    timeoutMs: (definition.timeout ?? defaultTimeout) * 1000,
    maxAnswerBytes,
    signal: call.signal,
    trace: call.trace,
  })
  if (answer.kind === 'unanswered')
    throw refusal('http exception when validating input data', 'unexpected', new Error(answer.message))
  if (answer.status >= 200 && answer.status < 300) return
  if (answer.status !== 400)
    throw refusal(
      'internal error when validating input data',
      'unexpected',
      new Error(`expecting 200 or 400 status code, but found ${answer.status}`),
    )
  const message = messageOf(answer.body)
  throw message === undefined
    ? refusal('received invalid response from input validation webhook', 'unexpected')
    : refusal(message, 'validation-failed')
}

function requestTo(
  definition: ValidateInput['definition'],
  body: string,
  { environment, clientHeaders }: ValidationCall,
): WebhookRequest {
  try {
    const url = resolveTemplate(definition.url, environment)
    return { method: 'POST', url, headers: requestHeaders(definition, environment, clientHeaders), body }
  } catch (error) {
    throw error instanceof UnsetVariable ? refusal(error.message, 'unexpected') : error
  }
}

const refusedAnswer = z.object({ message: z.string() })

/** The service's message; undefined when the body doesn't have its format. */
function messageOf(body: string): string | undefined {
  try {
    return refusedAnswer.safeParse(JSON.parse(body)).data?.message
  } catch {
    return undefined
  }
}

function refusal(message: string, code: ErrorCode, cause?: Error): RequestError {
  const error = new RequestError(message, '$', code)
  error.cause = cause
  return error
}

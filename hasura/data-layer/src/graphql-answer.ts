import { z } from 'zod'
import type { DataLayerResult } from './data-layer.ts'
import { violationInMessage } from './violation.ts'

const hasuraError = z.object({
  message: z.string(),
  extensions: z.looseObject({ code: z.string().optional(), path: z.string().optional() }).optional(),
})

/** The body of an answer of Hasura's GraphQL endpoints. */
const graphqlBody = z.object({ data: z.unknown().optional(), errors: z.array(hasuraError).min(1).optional() })

/** The body of a refusal before GraphQL, of `/v1/graphql` and `/v1/metadata` alike. */
const refusal = z.object({ error: z.string(), code: z.string(), path: z.string() })

const dataStart = /^\s*\{\s*"data"\s*:/

/**
 * Reads an answer of `/v1/graphql`. The text of `data` is cut out and not parsed, because JSON.parse changes numbers
 * beyond 2^53 and the digits of a numeric. An answer of another form gives `unavailable`.
 */
export function parseGraphqlAnswer(status: number, body: string): DataLayerResult {
  const parsed = parseJson(body)
  const answer = graphqlBody.safeParse(parsed)
  if (answer.success && answer.data.errors !== undefined) {
    return { kind: 'errors', errors: (answer.data.errors as DataLayerErrors).map(withViolation) }
  }
  const start = dataStart.exec(body)?.[0].length
  if (start !== undefined && isDataOnly(parsed)) {
    return { kind: 'data', json: body.slice(start, body.lastIndexOf('}')).trim() }
  }
  const refused = refusal.safeParse(parsed)
  if (refused.success) {
    const { error, code, path } = refused.data
    return { kind: 'errors', errors: [{ message: error, extensions: { path, code } }] }
  }
  return { kind: 'unavailable', reason: `status ${status} with a body that is no answer of Hasura` }
}

type DataLayerErrors = Extract<DataLayerResult, { kind: 'errors' }>['errors']

function withViolation(error: DataLayerErrors[number]): DataLayerErrors[number] {
  const violation = violationInMessage(error.message)
  return violation ? { ...error, violation } : error
}

const isDataOnly = (parsed: unknown): boolean =>
  typeof parsed === 'object' && parsed !== null && 'data' in parsed && Object.keys(parsed).length === 1

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { z } from 'zod'
import { failureOf } from '../execute/request-failure.ts'
import { parseUnrounded } from '../exact-json.ts'
import { HasuraError } from '../hasura-error.ts'
import { json, record } from '../metadata/parse.ts'
import { parseJson } from '../metadata/read-metadata.ts'
import { adminRole, createSession } from '../session/types.ts'
import type { Handler } from './api.ts'
import { parseRequest } from './graphql-endpoint.ts'
import { adminRequest, requireAdmin } from './require-admin.ts'
import { jsonResponse } from './response.ts'

const explainRequest = record({
  query: z.unknown(),
  /** Session variables with `x-hasura-role`. Default: admin. */
  user: z.record(z.string(), z.string()).optional(),
  is_relay: z.boolean().optional(),
})

/** `POST /v1/graphql/explain`: the SQL and Postgres's plan of an operation, as a role would run it. */
export const handleExplain: Handler = async (api, httpRequest) => {
  const { body } = await adminRequest(api, httpRequest, requireAdmin, parseUnrounded)
  const parsed = parseJson(explainRequest, body)
  if (parsed.kind === 'invalid') throw new HasuraError('parse-failed', parsed.problem.message, parsed.problem)
  const { query, user = {}, is_relay: isRelay = false } = parsed.value
  const request = graphqlRequest(query, isRelay)
  const { signal } = httpRequest
  try {
    const answer = await api.executor.explainPlan(request, sessionOf(user), { signal })
    return jsonResponse(200, json.parse(answer))
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    const { code = 'unexpected', path = '$' } = failure.extensions
    return jsonResponse(400, { path, error: failure.message, code })
  }
}

function graphqlRequest(query: unknown, isRelay: boolean) {
  try {
    return parseRequest(query, isRelay ? 'relay' : 'graphql')
  } catch (error) {
    throw error instanceof HasuraError ? error.under('.query') : error
  }
}

function sessionOf(user: Readonly<Record<string, string>>) {
  const role = Object.entries(user).find(([name]) => name.toLowerCase() === 'x-hasura-role')?.[1]
  return createSession(role ?? adminRole, user)
}

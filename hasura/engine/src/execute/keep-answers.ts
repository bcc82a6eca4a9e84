import { AnswerCache } from '@commerce-graph/answer-cache'
import { hash } from 'node:crypto'
import type { GraphQLExecutor, GraphQLRequest, GraphQLResult } from '../graphql-request.ts'
import type { Session } from '../session/types.ts'
import type { SubscriptionCompiler } from './graphql-executor.ts'

/** An executor that answers a query again as it did before, as long as the database would. */
export function keepAnswers<Executor extends GraphQLExecutor & SubscriptionCompiler>(
  executor: Executor,
  maxBytes: number,
): Executor {
  const cache = new AnswerCache<GraphQLResult>({ maxBytes, sizeOf: bytesOf })
  return {
    ...executor,
    execute(request, session, options) {
      // Two requests of a mutation are two mutations.
      if (!executor.isQuery(request, session)) return executor.execute(request, session, options)
      return cache.answer(keyOf(request, session), async (wantsValidity) => {
        const value = await executor.execute(request, session, { ...options, wantsValidity })
        return { value, validity: value.kind === 'data' ? value.validity : undefined }
      })
    },
  }
}

/** A role's rights are those of the metadata; answers of older metadata are not valid any more. */
function keyOf(
  { query, operationName, variables, api }: GraphQLRequest,
  { role, isAdmin, variables: session, backendOnlyPermissions }: Session,
): string {
  const parts = [query, operationName, variables, api, role, isAdmin, session, backendOnlyPermissions]
  return hash('sha256', JSON.stringify(parts), 'base64')
}

const bytesOf = (result: GraphQLResult): number =>
  result.kind === 'data' ? Buffer.byteLength(result.json) : 0

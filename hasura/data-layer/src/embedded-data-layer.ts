import { createSession, type Engine, type GraphQLResult, type Session } from 'hasura-embedded'
import { violationOfProblem } from './violation.ts'
import type { DataLayer, DataLayerResult, SessionVariables } from './data-layer.ts'

/** The data layer over an engine in this process: without a socket, and with the answer's text as Postgres wrote it. */
export const createEmbeddedDataLayer = (engine: Pick<Engine, 'execute' | 'subscribe'>): DataLayer => ({
  async execute(operation, session, { signal, headers, wantsValidity } = {}) {
    signal?.throwIfAborted()
    const result = await engine.execute(operation, sessionOf(session), {
      signal,
      clientHeaders: headers,
      wantsValidity,
    })
    signal?.throwIfAborted()
    return asOverHttp(result)
  },
  async *subscribe(operation, session, { signal }) {
    for await (const result of engine.subscribe(operation, sessionOf(session), { signal })) {
      yield asOverHttp(result)
      if (result.kind !== 'data') return
    }
    if (!signal.aborted) yield { kind: 'unavailable', reason: 'the engine has ended the subscription' }
  },
})

function sessionOf(session: SessionVariables): Session {
  const { 'x-hasura-role': role = 'admin', [backendOnlyHeader]: backendOnly, ...variables } = session
  return createSession(role, variables, { backendOnlyPermissions: backendOnly === 'true' })
}

/** Keeps only what Hasura also sends over HTTP, so that no caller comes to depend on more. */
function asOverHttp(result: GraphQLResult): DataLayerResult {
  switch (result.kind) {
    case 'data':
      return { kind: 'data', json: result.json, ...(result.validity && { validity: result.validity }) }
    case 'errors':
      return {
        kind: 'errors',
        errors: result.errors.map(({ message, extensions, database }) => {
          const violation = database && violationOfProblem(database)
          return { message, extensions, ...(violation && { violation }) }
        }),
      }
    default:
      return result satisfies never
  }
}

const backendOnlyHeader = 'x-hasura-use-backend-only-permissions'

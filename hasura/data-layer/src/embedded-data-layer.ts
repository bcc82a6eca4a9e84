import { createSession, type Engine } from 'hasura-embedded'
import { type DataLayer } from './data-layer.ts'

/** The data layer over an engine in this process: no socket, and the text of the answer as Postgres wrote it. */
export function createEmbeddedDataLayer(engine: Pick<Engine, 'execute'>): DataLayer {
  return {
    async execute(operation, session, { signal, headers } = {}) {
      signal?.throwIfAborted()
      const { 'x-hasura-role': role = 'admin', [BACKEND_ONLY]: backendOnly, ...variables } = session
      const options = { backendOnlyPermissions: backendOnly === 'true' }
      const result = await engine.execute(operation, createSession(role, variables, options), {
        signal,
        clientHeaders: headers,
      })
      signal?.throwIfAborted()
      switch (result.kind) {
        case 'data':
          return { kind: 'data', json: result.json }
        case 'errors':
          // Only what Hasura tells over HTTP too: nothing may come to need more.
          return {
            kind: 'errors',
            errors: result.errors.map(({ message, extensions }) => ({ message, extensions })),
          }
        default:
          return result satisfies never
      }
    },
  }
}

const BACKEND_ONLY = 'x-hasura-use-backend-only-permissions'

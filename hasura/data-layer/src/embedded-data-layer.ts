import { type DataLayer } from './data-layer.ts'

/** What is needed of an embedded engine: `startEngine` of hasura-embedded answers one that has more. */
export type ExecutingEngine = Pick<DataLayer, 'execute'>

/** The data layer over an engine in this process: no serialisation, no socket, the statement's text as it comes. */
export function createEmbeddedDataLayer(engine: ExecutingEngine): DataLayer {
  return {
    execute: async (operation, session, options) => {
      options?.signal?.throwIfAborted()
      return engine.execute(operation, session, options)
    },
  }
}

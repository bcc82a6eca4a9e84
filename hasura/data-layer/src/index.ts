export {
  type DataLayer,
  type DataLayerResult,
  type ExecuteOptions,
  type HasuraError,
  type Operation,
  type SessionVariables,
} from './data-layer.ts'
export { type Violation, violationInMessage } from './violation.ts'
export { createHttpDataLayer, type HttpDataLayerOptions } from './http-data-layer.ts'
export { createEmbeddedDataLayer } from './embedded-data-layer.ts'
/** The gateway and the engine use the same rules for introspection. */
export { introspectionSize, runIntrospection, StandardIntrospection } from 'hasura-embedded/introspection'

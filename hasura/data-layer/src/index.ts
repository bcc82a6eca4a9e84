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
/** Both servers of GraphQL, this one and the engine, hold introspection to the same. */
export { introspectionSize, runIntrospection, StandardIntrospection } from 'hasura-embedded/introspection'

export {
  type DataLayer,
  type DataLayerResult,
  type ExecuteOptions,
  type HasuraError,
  type Operation,
  type SessionVariables,
} from './data-layer.ts'
export { createHttpDataLayer, type HttpDataLayerOptions } from './http-data-layer.ts'
export { createEmbeddedDataLayer } from './embedded-data-layer.ts'

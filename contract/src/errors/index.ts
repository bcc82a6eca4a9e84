export {
  catalogue,
  type CatalogueId,
  clip,
  type ErrorCode,
  errorCodes,
  type ExtensionsCode,
  messageOf,
  type MessageValues,
} from './catalogue.ts'
export { missingFeature } from './missing-feature.ts'
export {
  type CatalogueError,
  catalogueError,
  type ErrorDetails,
  fieldRequired,
  invalidFormat,
  outOfRange,
  rateLimited,
  syntaxError,
  unexpectedError,
  withPath,
  withStatus,
} from './catalogue-error.ts'

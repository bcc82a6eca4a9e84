export {
  catalogue,
  type CatalogueId,
  type ErrorCode,
  errorCodes,
  type ExtensionsCode,
  messageOf,
  type MessageValues,
} from './catalogue.ts'
export {
  type CatalogueError,
  catalogueError,
  type ErrorDetails,
  fieldRequired,
  invalidFormat,
  outOfRange,
  syntaxError,
  unexpectedError,
  withPath,
  withStatus,
} from './catalogue-error.ts'

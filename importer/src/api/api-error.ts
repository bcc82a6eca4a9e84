/** The API can't answer now, but may later: no connection, 429, 5xx. The request may be repeated. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** The import can't continue with any row. Finished rows are kept, and a later run continues after them. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
}

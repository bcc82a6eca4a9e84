/** The API can't answer now, and may later: no connection, 429, 5xx. Worth another try. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** The import can't go on, whichever row it is at. What was done is kept, and a later run goes on from there. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
}

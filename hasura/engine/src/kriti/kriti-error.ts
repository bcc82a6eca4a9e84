/** Kriti's names of errors in a template or its evaluation. */
export type KritiErrorCode =
  | 'Parse Error Code'
  | 'Invalid Path Code'
  | 'Type Error Code'
  | 'Range Error Code'
  | 'Function Error Code'

/** Thrown only inside this folder; `render` turns it into a result. */
export class KritiError extends Error {
  readonly code: KritiErrorCode
  /** The position, in characters from the template's start. */
  readonly at: number

  constructor(code: KritiErrorCode, message: string, at: number) {
    super(message)
    this.code = code
    this.at = at
  }
}

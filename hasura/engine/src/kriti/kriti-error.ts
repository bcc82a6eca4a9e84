/** Kriti's own names for what can be wrong with a template or its evaluation. */
export type KritiErrorCode =
  'Parse Error Code' | 'Invalid Path Code' | 'Type Error Code' | 'Range Error Code' | 'Function Error Code'

/** Thrown within this folder alone; `render` turns it into a value. */
export class KritiError extends Error {
  readonly code: KritiErrorCode
  /** Characters from the template's start. */
  readonly at: number

  constructor(code: KritiErrorCode, message: string, at: number) {
    super(message)
    this.code = code
    this.at = at
  }
}

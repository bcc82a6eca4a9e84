/** The command was called wrongly: with options that don't go together, or a value that is none. The message says what is valid. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

import { styleText } from 'node:util'

/** The exit code of a command that was called wrongly, whatever the command. */
export const wrongUseCode = 2

/** How a command has failed. */
export interface CommandFailure {
  /** FAILED: the message says what to do. INTERNAL: a fault of the program. */
  readonly code: 'WRONG_USE' | 'FAILED' | 'INTERNAL'
  readonly message: string
}

/** Whether the results are for a program: its errors are, then, too. Options end at `--`. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}

/** Tells a person on standard error, or a program on standard output, which has nothing but JSON then. */
export function tellFailure(failure: CommandFailure, { json }: { readonly json: boolean }): void {
  if (json) console.log(JSON.stringify({ error: failure }))
  else console.error(`${styledError()} ${failure.message}`)
}

export const styledError = (): string => styleText('red', 'error:', { stream: process.stderr })

/** The stacks have no values of the database; an error's other fields can. */
export const tellFault = (error: unknown): void =>
  console.error(`${stacksOf(error)}\n\nThis is a fault of the program, not of its use.`)

const stacksOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.stack ?? error.message}${error.cause === undefined ? '' : `\n\ncaused by ${stacksOf(error.cause)}`}`
    : String(error)

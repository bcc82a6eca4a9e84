import { type Command, CommanderError } from 'commander'
import { styleText } from 'node:util'
import { asksForJson, styledError, tellFailure, tellFault, wrongUseCode } from './command-failure.ts'
import { WrongUse } from './wrong-use.ts'

type ErrorClass = abstract new (...args: never[]) => Error

export interface CommandEnding {
  /** Errors whose message tells the caller what to do. All others are faults of the program, and are told with their stack. */
  readonly expected: readonly ErrorClass[]
  /** The exit code of what has failed; 1 unless said. */
  readonly failed?: number
}

/**
 * Runs the command with the process's arguments. All commands end alike: with 2 if they were called wrongly, with `failed` for an error,
 * without a stack for what the caller can mend, and with `{"error": …}` on standard output when called with --json.
 */
export async function runCommand(command: Command, { expected, failed = 1 }: CommandEnding): Promise<void> {
  const json = asksForJson(process.argv.slice(2))
  if (printsResult(command)) endWithReader()
  prepare(command, { json })
  try {
    await command.parseAsync()
  } catch (error) {
    process.exit(exitCodeOf(error, { expected, failed, json }))
  }
}

/** Such a command has nothing to end in order; one that serves has. */
const printsResult = (command: Command): boolean =>
  command.options.some(({ long }) => long === '--json') || command.commands.some(printsResult)

/** A reader like `head` goes away early. Other programs are ended by a signal then; so this has the code of that signal. */
function endWithReader(): void {
  const brokenPipe = 128 + 13
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(brokenPipe)
  })
}

function prepare(command: Command, { json }: { readonly json: boolean }): void {
  command
    .exitOverride()
    .allowExcessArguments(false)
    .showHelpAfterError(`${fullName(command)} --help lists the options.`)
    .configureHelp({
      styleTitle: (text) => styleText('bold', text, { validateStream: false }),
      styleOptionTerm: (text) => styleText('cyan', text, { validateStream: false }),
      styleSubcommandTerm: (text) => styleText('cyan', text, { validateStream: false }),
    })
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error:/, styledError())),
      ...(json && { writeErr: () => undefined }),
    })
  for (const each of command.commands) prepare(each, { json })
}

/** As it is typed: `npm run operator -- dead-letters list`. */
const fullName = (command: Command): string =>
  command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`

/** Tells the error, unless commander has done so. */
function exitCodeOf(
  error: unknown,
  { expected, failed, json }: Required<CommandEnding> & { readonly json: boolean },
): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    if (json) tellFailure({ code: 'WRONG_USE', message: messageOf(error) }, { json })
    return wrongUseCode
  }
  if (error instanceof WrongUse) {
    tellFailure({ code: 'WRONG_USE', message: error.message }, { json })
    return wrongUseCode
  }
  if (error instanceof Error && (isOfSystem(error) || expected.some((type) => error instanceof type))) {
    tellFailure({ code: 'FAILED', message: error.message }, { json })
    return failed
  }
  tellFault(error)
  if (json)
    tellFailure(
      { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) },
      { json },
    )
  return failed
}

/** What the operating system refuses: a folder that can't be written, a port where nothing listens. The message names it. */
const isOfSystem = (error: Error): boolean => 'syscall' in error && error.message !== ''

/** Commander prints the help where a subcommand is missing, and has no message for it. */
const messageOf = ({ code, message }: CommanderError): string =>
  code === 'commander.help' ? 'the command is missing: --help lists them' : message.replace(/^error: /, '')

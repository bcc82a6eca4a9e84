import { parseArgs, type ParseArgsConfig } from 'node:util'
import type { z } from 'zod'
import { tellFailure, wrongUseCode } from './command-failure.ts'

interface Arguments<Values> {
  /** What --help prints. Its first line shows how the command is called. */
  readonly usage: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** Whether words that are no options are read, into `words`. */
  readonly takesWords?: true
  /** What is valid. */
  readonly values: z.ZodType<Values>
}

/**
 * Reads the options of a command for the development of this repository. --help prints the usage, and ends with 0; a wrong option or value
 * is named on standard error, and ends with 2.
 */
export function readArguments<Values>({ usage, options, takesWords, values }: Arguments<Values>): Values {
  const read = parsed(options, takesWords === true)
  if (read.kind === 'given' && read.values['help'] === true) {
    console.log(usage)
    process.exit(0)
  }
  const checked = read.kind === 'given' ? values.safeParse(read.values) : undefined
  if (checked?.success === true) return checked.data
  const message = read.kind === 'refused' ? read.problem : problemOf(checked?.error)
  tellFailure({ code: 'WRONG_USE', message }, { json: false })
  console.error(usage.split('\n')[0])
  process.exit(wrongUseCode)
}

type Read =
  | { readonly kind: 'given'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly problem: string }

function parsed(options: NonNullable<ParseArgsConfig['options']>, takesWords: boolean): Read {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: takesWords,
      allowNegative: true,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    })
    return { kind: 'given', values: takesWords ? { ...values, words: positionals } : values }
  } catch (error) {
    // Node's own errors for wrong arguments; they name the argument.
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))
      return { kind: 'refused', problem: error.message }
    throw error
  }
}

const problemOf = (error: z.ZodError | undefined): string =>
  (error?.issues ?? [])
    .map(({ path, message }) => (path[0] === 'words' ? message : `--${path.join('.')}: ${message}`))
    .join('\n')

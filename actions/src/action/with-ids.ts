import * as rules from '@commerce-graph/contract/input'
import type { Answer, UserError } from './answer.ts'

/**
 * The answer with the ids of the records that aren't there in its messages, as the gateway words them for rows. Where the
 * input has no text at the error's field (a line of a stored cart, say), the message does without.
 */
export const withIds = (answer: Answer, input: unknown): Answer =>
  answer.kind === 'invalid'
    ? { ...answer, errors: answer.errors.map((error) => withId(error, input)) }
    : answer

function withId({ missing, ...error }: UserError, input: unknown): UserError {
  if (missing === undefined) return error
  const id = rules.valueAt(input, error.field) ?? rules.valueAt(input, `input.${error.field}`)
  return typeof id === 'string'
    ? { ...error, ...rules.notFound(error.field, missing, id), code: error.code }
    : error
}

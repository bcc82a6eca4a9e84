import type { UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Session } from '../action/session.ts'

/** What a line has besides its product and quantity. */
export interface LineTerms {
  /** What is wanted of this line alone. Lines with others are lines of their own. */
  readonly properties?: readonly { readonly name: string; readonly value: string }[] | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

const merchantsFields = ['externalId', 'metadata', 'privateMetadata'] as const

/**
 * The errors of what shoppers and guests say of lines, though it is the merchant's to say.
 *
 * @param pathOf where the caller put the line
 */
export const merchantsFieldErrors = (
  { role }: Pick<Session, 'role'>,
  lines: readonly LineTerms[],
  pathOf: (index: number) => string,
): readonly UserError[] =>
  role === 'merchant'
    ? []
    : lines.flatMap((line, index) =>
        merchantsFields
          .filter((name) => line[name] != null)
          .map((name) => invalidValue(`${pathOf(index)}.${name}`, `Only the merchant can say ${name}`)),
      )

import type { RequestError } from '@commerce-graph/client'
import type { MessageName } from '../language/catalogue.ts'

/** What a form shows of an error: a text of the catalogue where there is one, the shop's own otherwise, and errors at their fields. */
export interface Problem {
  readonly text: MessageName | null
  readonly message: string
  /** By the last part of a field's path, which is the name of the form's field. */
  readonly fields: Readonly<Record<string, string>>
}

export function problemOf(error: RequestError): Problem {
  switch (error.kind) {
    case 'refused': {
      const fields = Object.fromEntries(
        error.userErrors.flatMap(({ field, message }) => {
          const name = field?.split('.').at(-1)
          return name === undefined ? [] : [[name, message]]
        }),
      )
      return { text: null, message: error.userErrors.map(({ message }) => message).join(' '), fields }
    }
    case 'insufficient-inventory':
      return { text: 'tooFew', message: error.message, fields: {} }
    case 'payment-failed':
      return { text: 'anotherCard', message: error.message, fields: {} }
    case 'rate-limited':
      return { text: 'tooMany', message: error.message, fields: {} }
    case 'unavailable':
    case 'not-graphql':
      return { text: 'unreachable', message: error.message, fields: {} }
    default:
      return { text: null, message: error.message, fields: {} }
  }
}

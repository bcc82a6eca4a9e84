import type { KeptFields } from '../metadata/index.ts'

/** What a line has besides its product and quantity. */
export interface LineTerms extends KeptFields {
  /** What is wanted of this line alone. Lines with others are lines of their own. */
  readonly properties?: readonly { readonly name: string; readonly value: string }[] | null
}

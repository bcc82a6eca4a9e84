import { type CatalogueError, invalidFormat, outOfRange } from '@commerce-graph/contract/errors'

/** Items of a page when nothing is said, and at most. */
export const defaultPageSize = 20
export const maxPageSize = 100

/**
 * Items that an answer shows of a list that is no connection, where its arguments don't say less; of a longer list it tells
 * (`extensions.shortenedLists`). What must be complete is bounded below it by its own rules (an order has 200 lines).
 */
export const maxListLength = 250

export type PageArguments = Readonly<Record<string, unknown>>

/** Whether a page is read from the end of the list. What is wrong with the arguments is `readPageSize`'s to say. */
export const isBackward = (args: PageArguments): boolean => args['last'] != null || args['before'] != null

/** The argument that holds the page's cursor, if there is one. */
export function cursorArgument(args: PageArguments): 'after' | 'before' | undefined {
  if (args['after'] != null) return 'after'
  return args['before'] != null ? 'before' : undefined
}

/** Arguments that say the same in two ways, or page in two directions at once. The second of a pair is at fault. */
const conflicts = [
  ['first', 'limit'],
  ['first', 'last'],
  ['limit', 'last'],
  ['first', 'before'],
  ['limit', 'before'],
  ['after', 'last'],
  ['after', 'before'],
] as const

/** The page size, or the errors of the arguments that set it. */
export function readPageSize(
  args: PageArguments,
): { readonly size: number } | { readonly error: CatalogueError } {
  for (const [given, other] of conflicts)
    if (args[given] != null && args[other] != null)
      return {
        error: invalidFormat(
          other,
          `nothing beside \`${given}\``,
          `${given} and ${other} exclude each other`,
        ),
      }
  for (const name of ['first', 'limit', 'last']) {
    const size = args[name]
    if (typeof size !== 'number') continue
    return size >= 1 && size <= maxPageSize ? { size } : { error: outOfRange(name, size, 1, maxPageSize) }
  }
  return { size: defaultPageSize }
}

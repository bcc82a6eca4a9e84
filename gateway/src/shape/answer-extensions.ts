import type { ShortenedList } from './shape.ts'

/** The extensions of an answer. */
export interface AnswerExtensions {
  /** Lists that are no connections and have more items than the answer shows. */
  readonly shortenedLists?: readonly ShortenedList[]
  /** Places of refused fields that are not among the errors, where there are very many; each field is named there. */
  readonly omittedErrors?: number
  /** The estimated complexity, if the client asked for it. */
  readonly complexity?: number
}

/** @returns the `extensions` of an answer, or undefined where there is nothing to tell */
export function answerExtensions(
  { shortened, omitted = 0 }: { readonly shortened: readonly ShortenedList[]; readonly omitted?: number },
  complexity: number | null = null,
): AnswerExtensions | undefined {
  if (shortened.length === 0 && omitted === 0 && complexity === null) return undefined
  return {
    ...(shortened.length > 0 && { shortenedLists: shortened }),
    ...(omitted > 0 && { omittedErrors: omitted }),
    ...(complexity !== null && { complexity }),
  }
}

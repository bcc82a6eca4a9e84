import { differing, same } from '../api/differing.ts'

/** What one types into a form, beside what the server has. */
export interface Draft<Values extends object> {
  /** The server's version that was taken last. */
  readonly current: Values
  /** What is typed is compared with it: the version that was taken last, and what was saved since. */
  readonly stored: Values
  readonly typed: Values
  /** What was saved and isn't in that version. The server's next one has it, perhaps written in another way. */
  readonly saved: Partial<Values>
}

export const draftFrom = <Values extends object>(current: Values): Draft<Values> => ({
  current,
  stored: current,
  typed: current,
  saved: {},
})

/** What differs from what is stored: nothing else is sent, so nobody's change to another field is undone. */
export const changesOf = <Values extends object>({ typed, stored }: Draft<Values>): Partial<Values> =>
  differing(typed, stored)

export const afterSaving = <Values extends object>(
  draft: Draft<Values>,
  sent: Partial<Values>,
): Draft<Values> => ({
  ...draft,
  stored: { ...draft.stored, ...sent },
  saved: differing({ ...draft.saved, ...sent }, draft.current),
})

/** The draft with another version of the server; null if somebody else made it, so that who types has to be asked. */
export function renewed<Values extends object>(draft: Draft<Values>, current: Values): Draft<Values> | null {
  const changes = changesOf(draft)
  if (isEmpty(changes) || same(draft.typed, current)) return draftFrom(current)
  const isOwn = Object.keys(differing(current, draft.current)).some((name) => name in draft.saved)
  const isTypedByBoth = Object.keys(differing(current, draft.stored)).some(
    (name) => name in changes && !(name in draft.saved),
  )
  // One's own version comes while one types on: what was typed since stays.
  return isOwn && !isTypedByBoth ? { ...draftFrom(current), typed: { ...current, ...changes } } : null
}

const isEmpty = (values: object): boolean => Object.keys(values).length === 0

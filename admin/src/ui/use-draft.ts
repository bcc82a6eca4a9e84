import { useState } from 'react'
import { same } from '../api/differing.ts'
import { afterSaving, changesOf, draftFrom, renewed } from './draft.ts'

export interface DraftState<Values extends object> {
  readonly draft: Values
  /** What it is compared with. */
  readonly stored: Values
  readonly set: (part: Partial<Values>) => void
  /** What differs from what is stored: nothing else is sent, so nobody's change to another field is undone. */
  readonly changed: Partial<Values>
  readonly isChanged: boolean
  /** Somebody else has changed it while one typed. */
  readonly isOld: boolean
  readonly reload: () => void
  /** To be called when what `changed` is now has been stored: the version that comes with it is one's own. */
  readonly saved: () => void
}

/** The values of a form, as one types them, beside those that the server has. */
export function useDraft<Values extends object>(current: Values): DraftState<Values> {
  const [state, setState] = useState(() => draftFrom(current))
  const changed = changesOf(state)
  const isOld = !same(state.current, current)
  const next = isOld ? renewed(state, current) : null
  if (next !== null) setState(next)
  return {
    draft: state.typed,
    stored: state.stored,
    set: (part) => setState((now) => ({ ...now, typed: { ...now.typed, ...part } })),
    changed,
    isChanged: Object.keys(changed).length > 0,
    isOld,
    reload: () => setState(draftFrom(current)),
    saved: () => setState((now) => afterSaving(now, changed)),
  }
}

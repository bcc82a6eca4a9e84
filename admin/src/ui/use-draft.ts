import { useState } from 'react'
import { differing, same } from '../api/differing.ts'

export interface DraftState<Values extends object> {
  readonly draft: Values
  readonly set: (part: Partial<Values>) => void
  /** What differs from what was loaded: nothing else is sent, so nobody's change to another field is undone. */
  readonly changed: Partial<Values>
  readonly isChanged: boolean
  /** Somebody else has changed it while one typed. */
  readonly isOld: boolean
  readonly reload: () => void
}

/** The values of a form, as one types them, beside those that the server has. */
export function useDraft<Values extends object>(current: Values): DraftState<Values> {
  const [loaded, setLoaded] = useState(current)
  const [draft, setDraft] = useState(current)
  const changed = differing(draft, loaded)
  const isChanged = Object.keys(changed).length > 0
  const isOld = !same(loaded, current)
  // What was saved comes back as it was typed.
  if (isOld && (!isChanged || same(draft, current))) reload()
  function reload(): void {
    setLoaded(current)
    setDraft(current)
  }
  return { draft, set: (part) => setDraft({ ...draft, ...part }), changed, isChanged, isOld, reload }
}

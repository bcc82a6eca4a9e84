import { useSyncExternalStore } from 'react'

/** As in table.css. */
const query = matchMedia('(max-width: 700px)')

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches)

import { useSyncExternalStore } from 'react'
import { type Visit, visit } from './visit.ts'

export const useVisit = (): Visit => useSyncExternalStore(visit.subscribe, visit.read, visit.onServer)

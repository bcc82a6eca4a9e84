import { useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'

export type Filters<Name extends string> = Readonly<Record<Name, string>>

/** The filters of a list are in the address, so that a list can be shared, and the browser's back leads back to it. */
export function useFilters<Name extends string>(
  names: readonly Name[],
): [Filters<Name>, (changed: Partial<Filters<Name>>) => void] {
  const [params, setParams] = useSearchParams()
  const filters = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Filters<Name>
  const change = useCallback(
    (changed: Partial<Filters<Name>>) =>
      setParams(
        (former) => {
          const next = new URLSearchParams(former)
          for (const [name, value] of Object.entries<string | undefined>(changed)) {
            if (value === undefined || value === '') next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        { replace: true },
      ),
    [setParams],
  )
  return [filters, change]
}

/** Milliseconds after the last letter. */
export const typingPause = 250

/** A text that one types, which counts when one pauses. */
export function useTyped(value: string, settle: (value: string) => void): [string, (value: string) => void] {
  const [typed, setTyped] = useState(value)
  const [settled, setSettled] = useState(value)
  if (settled !== value) {
    setSettled(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return undefined
    const timer = setTimeout(() => settle(typed), typingPause)
    return () => clearTimeout(timer)
  }, [typed, value, settle])
  return [typed, setTyped]
}

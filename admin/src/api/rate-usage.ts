import { useSyncExternalStore } from 'react'

/** How much of a limit of the shop's plan is used, as the gateway says with each answer. */
export interface RateUsage {
  /** `minute`, `hour`, or `burst`: what minutes of an hour may have beyond theirs. */
  readonly name: string
  /** Requests. */
  readonly quota: number
  readonly used: number
}

/**
 * Reads the headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), which the gateway writes without spaces
 * within a member. A limit that has no rest is unused.
 */
export function rateUsageOf(headers: Pick<Headers, 'get'>): readonly RateUsage[] {
  const rests = membersOf(headers.get('ratelimit') ?? '')
  return [...membersOf(headers.get('ratelimit-policy') ?? '')].flatMap(([name, policy]) => {
    const quota = policy.get('q')
    return quota === undefined ? [] : [{ name, quota, used: quota - (rests.get(name)?.get('r') ?? quota) }]
  })
}

/** The numbers of each member of a list of strings, by their keys. */
const membersOf = (list: string): ReadonlyMap<string, ReadonlyMap<string, number>> =>
  new Map(
    [...list.matchAll(/"([^"]*)"((?:;[a-z-]+=\d+)*)/g)].map(([, name = '', parameters = '']) => [
      name,
      new Map(
        [...parameters.matchAll(/;([a-z-]+)=(\d+)/g)].map(([, key = '', value]) => [key, Number(value)]),
      ),
    ]),
  )

let latest: readonly RateUsage[] = []
const listeners = new Set<() => void>()

/** Keeps what an answer says. One that says nothing, because the gateway refused it before it knew the shop, changes nothing. */
export function noteRateUsage(headers: Pick<Headers, 'get'>): void {
  const usage = rateUsageOf(headers)
  if (usage.length === 0) return
  latest = usage
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** As of the last answer; empty before the first. */
export const useRateUsage = (): readonly RateUsage[] => useSyncExternalStore(subscribe, () => latest)

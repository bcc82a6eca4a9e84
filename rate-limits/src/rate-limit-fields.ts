/** The answer's headers about limits, with the names of draft-ietf-httpapi-ratelimit-headers-10. */
export interface RateLimitFields extends Readonly<Record<string, string>> {
  /** The limits: each has a quota of requests (`q`) in a window of seconds (`w`). */
  readonly 'ratelimit-policy': string
  /** Their use: the remaining requests (`r`), and the seconds until the quota is whole again (`t`). */
  readonly ratelimit: string
}

export interface LimitInUse {
  readonly name: string
  readonly quota: number
  /** Seconds. */
  readonly window: number
  /** Absent while nothing is used: the whole quota remains. */
  readonly remaining?: number
  readonly secondsLeft?: number
}

export interface Weighing {
  /** The complexity that counts as one request. */
  readonly complexity: number
  /** How many requests this one counted as. */
  readonly weight: number
}

/**
 * Both fields, as lists of structured fields (RFC 9651). Two parameters are this project's own: `cg-complexity` is the
 * complexity that counts as one request, and `cg-weight` is how many requests this one counted as, when that is more
 * than one.
 */
export function rateLimitFields(
  limits: readonly LimitInUse[],
  { complexity, weight }: Weighing,
): RateLimitFields {
  let policy = ''
  let state = ''
  const weighed = weight > 1 ? `;cg-weight=${weight}` : ''
  for (const { name, quota, window, remaining, secondsLeft } of limits) {
    policy += `${policy && ', '}"${name}";q=${quota};w=${window};cg-complexity=${complexity}`
    if (remaining === undefined || secondsLeft === undefined) continue
    state += `${state && ', '}"${name}";r=${Math.max(0, remaining)};t=${secondsLeft}${weighed}`
  }
  return { 'ratelimit-policy': policy, ratelimit: state }
}

/** Headers of an answer that tell its caller about limits, as draft-ietf-httpapi-ratelimit-headers-10 names them. */
export interface RateLimitFields extends Readonly<Record<string, string>> {
  /** Which limits there are: their quota of requests (`q`) in a window of seconds (`w`). */
  readonly 'ratelimit-policy': string
  /** How far they are used up: what remains (`r`), and seconds until it is the whole quota again (`t`). */
  readonly ratelimit: string
}

export interface LimitInUse {
  readonly name: string
  readonly quota: number
  /** Seconds. */
  readonly window: number
  /** Absent while nothing of it was used: the quota is there. */
  readonly remaining?: number
  readonly secondsLeft?: number
}

export interface Weighing {
  /** The complexity for which a request counts once. */
  readonly complexity: number
  /** For how many requests this one counted. */
  readonly weight: number
}

/**
 * Both fields, as lists of structured fields (RFC 9651). Parameters of our own say what a request is: `cg-complexity` the complexity
 * for which it counts once, and `cg-weight` how often this one counted, where that is more than once.
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

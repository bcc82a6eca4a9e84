import type { Count, Counter, Counters } from './counters.ts'
import type { LimitInUse } from './rate-limit-fields.ts'
import type { Rate } from './rates.ts'

const minuteSeconds = 60
const hourSeconds = 3600

/** The result of counting a request. */
export interface Use {
  /** The window whose limit the request exceeds; null when it is within the rate. */
  readonly exceeded: 'minute' | 'hour' | null
  /** Of the exceeded window: its limit in requests, and the seconds that are left of it. */
  readonly allowed: number
  readonly retryAfter: number
  /** How much of each limit is used. */
  readonly limits: readonly LimitInUse[]
  /** Subtracts the request from the counts. */
  readonly takeBack: () => void
}

/**
 * Counts requests against a rate: by minute, by hour, and the requests beyond a minute's rate by hour, up to the burst.
 */
export class Allowance {
  readonly #name: string
  readonly #minute: Counter
  readonly #burst: Counter
  readonly #hour: Counter

  /** @param name of the counters, and of the limits in the answer's headers; empty for the plan's own */
  constructor(counters: Counters, name: string) {
    this.#name = name
    this.#minute = counters.open(name === '' ? 'minute' : name, minuteSeconds)
    this.#burst = counters.open(this.#windowName('burst'), hourSeconds)
    this.#hour = counters.open(this.#windowName('hour'), hourSeconds)
  }

  /** @param weight how many requests this one counts as */
  async use(key: string, rate: Rate, weight: number): Promise<Use> {
    const { perMinute, perHour } = rate
    const [minute, hour] = await Promise.all([
      this.#minute.count(key, weight),
      perHour === null ? null : this.#hour.count(key, weight),
    ])
    const beyond = Math.min(weight, minute.counted - perMinute)
    const burst = beyond > 0 ? await this.#burst.count(key, beyond) : null
    return {
      ...exceededBy(rate, minute, burst, hour),
      limits: this.#limits(rate, minute, burst, hour),
      takeBack: () => {
        this.#minute.takeBack(key, weight)
        if (burst !== null) this.#burst.takeBack(key, beyond)
        if (hour !== null) this.#hour.takeBack(key, weight)
      },
    }
  }

  #windowName(window: 'burst' | 'hour'): string {
    return this.#name === '' ? window : `${this.#name}-${window}`
  }

  #limits(
    { perMinute, perHour, burst: most }: Rate,
    minute: Count,
    burst: Count | null,
    hour: Count | null,
  ): readonly LimitInUse[] {
    return [
      {
        name: this.#name === '' ? 'minute' : this.#name,
        quota: perMinute,
        window: minuteSeconds,
        remaining: perMinute - minute.counted,
        secondsLeft: minute.secondsLeft,
      },
      ...(most > perMinute
        ? [
            {
              name: this.#windowName('burst'),
              quota: most,
              window: minuteSeconds,
              ...(burst !== null && {
                remaining: most - perMinute - burst.counted,
                secondsLeft: minute.secondsLeft,
              }),
            },
          ]
        : []),
      ...(perHour !== null && hour !== null
        ? [
            {
              name: this.#windowName('hour'),
              quota: perHour,
              window: hourSeconds,
              remaining: perHour - hour.counted,
              secondsLeft: hour.secondsLeft,
            },
          ]
        : []),
    ]
  }
}

function exceededBy(
  { perMinute, perHour, burst: most }: Rate,
  minute: Count,
  burst: Count | null,
  hour: Count | null,
): Pick<Use, 'exceeded' | 'allowed' | 'retryAfter'> {
  if (perHour !== null && hour !== null && hour.counted > perHour)
    return { exceeded: 'hour', allowed: perHour, retryAfter: hour.secondsLeft }
  if (burst !== null && burst.counted > most - perMinute)
    return { exceeded: 'minute', allowed: perMinute, retryAfter: minute.secondsLeft }
  return { exceeded: null, allowed: perMinute, retryAfter: 0 }
}

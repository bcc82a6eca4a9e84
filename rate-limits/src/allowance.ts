import type { Count, Counter, Counters } from './counters.ts'
import type { LimitInUse } from './rate-limit-fields.ts'
import type { Rate } from './rates.ts'

const minuteSeconds = 60
const hourSeconds = 3600

/** What became of a request that was counted. */
export interface Use {
  /** The window that it went beyond; null: it is within the rate. */
  readonly exceeded: 'minute' | 'hour' | null
  /** Of the exceeded window: how many requests it takes, and the seconds that are left of it. */
  readonly allowed: number
  readonly retryAfter: number
  /** How far the rate is used up. */
  readonly limits: readonly LimitInUse[]
  /** Takes back what was counted. */
  readonly takeBack: () => void
}

/** Counts requests against a rate: by minute, by hour, and by hour what goes beyond the minutes, up to the burst. */
export class Allowance {
  readonly #name: string
  readonly #minute: Counter
  readonly #burst: Counter
  readonly #hour: Counter

  /** @param name of the counters, and of the limits that callers are told of: empty for those of the plan itself */
  constructor(counters: Counters, name: string) {
    this.#name = name
    this.#minute = counters.open(name === '' ? 'minute' : name, minuteSeconds)
    this.#burst = counters.open(this.#windowName('burst'), hourSeconds)
    this.#hour = counters.open(this.#windowName('hour'), hourSeconds)
  }

  /** @param weight for how many requests it counts */
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

import type { Faker } from '@faker-js/faker'

export const minute = 60_000
export const hour = 60 * minute
export const dayMs = 24 * hour

/** Relative sales by month, January first: few after the holidays, many before them. */
const months = [0.7, 0.75, 0.9, 0.95, 1.05, 1, 0.9, 0.95, 1.05, 1.1, 1.6, 1.7]
/** By day of the week, Sunday first. */
const weekdays = [1.15, 1, 0.95, 0.95, 1, 1.05, 0.9]
/** By hour of the day: few at night, most in the evening. */
const hours = [
  0.3, 0.15, 0.1, 0.05, 0.05, 0.1, 0.3, 0.6, 0.9, 1.1, 1.2, 1.2, 1.3, 1.2, 1.1, 1.1, 1.1, 1.2, 1.4, 1.7, 1.9,
  1.7, 1.2, 0.7,
]
/** The growth of sales over the run: 0.6 is 60 %. */
const growth = 0.6

/** The times of orders, earliest first, distributed like real purchases. */
export function orderTimes(faker: Faker, orders: number, from: number, to: number): Float64Array {
  const days = Math.ceil((to - from) / dayMs)
  const weights = Array.from({ length: days }, (_, day) => {
    const date = new Date(from + day * dayMs)
    const season = (months[date.getUTCMonth()] ?? 1) * (weekdays[date.getUTCDay()] ?? 1)
    return season * (1 + (growth * day) / days)
  })
  const dayOf = chooser(weights)
  const hourOf = chooser(hours)
  const times = new Float64Array(orders)
  for (let index = 0; index < orders; index += 1) {
    const start = from + dayOf(faker.number.float()) * dayMs + hourOf(faker.number.float()) * hour
    times[index] = Math.min(start + faker.number.int({ max: hour / 1000 - 1 }) * 1000, to - minute)
  }
  return times.sort()
}

/** Picks an index with the probability of its weight, given a number below 1. */
export function chooser(weights: readonly number[]): (random: number) => number {
  const sums: number[] = []
  let sum = 0
  for (const weight of weights) sums.push((sum += weight))
  return (random) => {
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) <= random * sum) low = middle + 1
      else high = middle
    }
    return low
  }
}

import type { Faker } from '@faker-js/faker'

export const minute = 60_000
export const hour = 60 * minute
export const dayMs = 24 * hour

/** How much is bought in a month, January first: slow after the holidays, busy before them. */
const months = [0.7, 0.75, 0.9, 0.95, 1.05, 1, 0.9, 0.95, 1.05, 1.1, 1.6, 1.7]
/** On a day of the week, Sunday first. */
const weekdays = [1.15, 1, 0.95, 0.95, 1, 1.05, 0.9]
/** In an hour of the day: hardly anything at night, most of it in the evening. */
const hours = [
  0.3, 0.15, 0.1, 0.05, 0.05, 0.1, 0.3, 0.6, 0.9, 1.1, 1.2, 1.2, 1.3, 1.2, 1.1, 1.1, 1.1, 1.2, 1.4, 1.7, 1.9,
  1.7, 1.2, 0.7,
]
/** How much more is bought at the end than at the beginning. */
const growth = 0.6

/** The moments at which orders are placed, earliest first, as people buy. */
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

/** Picks an index with the likelihood of its weight, given a number below 1. */
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

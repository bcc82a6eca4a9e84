import { expect, test } from 'vitest'
import { withCircuitBreaker } from './circuit-breaker.ts'
import { manualProcessor } from './index.ts'
import type { ChargeAnswer } from './processor.ts'

function brokenProcessor() {
  const state = { answers: false, calls: 0, now: 0 }
  const answer = (): Promise<ChargeAnswer> => {
    state.calls += 1
    return Promise.resolve(
      state.answers ? { status: 'cancelled', intentId: 'a' } : { status: 'unknown', cause: null },
    )
  }
  const options = { failures: 3, restMs: 1_000, now: () => state.now }
  return { state, processor: withCircuitBreaker({ ...manualProcessor, retrieve: answer }, options) }
}

const ask = async ({ processor }: ReturnType<typeof brokenProcessor>) =>
  (await processor.retrieve('a')).status

test('a processor that has not answered three times is skipped, then tried once, then used again', async () => {
  const broken = brokenProcessor()
  for (let call = 0; call < 10; call += 1) expect(await ask(broken)).toBe('unknown')
  expect(broken.state.calls).toBe(3)

  broken.state.now = 1_000
  expect(await Promise.all([ask(broken), ask(broken)])).toEqual(['unknown', 'unknown'])
  expect(broken.state.calls).toBe(4)

  broken.state.now = 2_000
  broken.state.answers = true
  expect(await ask(broken)).toBe('cancelled')
  expect(await Promise.all([ask(broken), ask(broken)])).toEqual(['cancelled', 'cancelled'])
})

test('an answer in between resets the count', async () => {
  const broken = brokenProcessor()
  for (let round = 0; round < 5; round += 1) {
    broken.state.answers = false
    await ask(broken)
    await ask(broken)
    broken.state.answers = true
    expect(await ask(broken)).toBe('cancelled')
  }
})

import { expect, test } from 'vitest'
import { recordOutcome } from './record-outcome.ts'

test.each(['57P01', 'CONNECTION_CLOSED', '40P01', '55P03'])(
  'an outcome is recorded after %s, which passes',
  async (code) => {
    let tries = 0
    await recordOutcome(() => {
      tries += 1
      return tries === 1 ? Promise.reject(Object.assign(new Error(), { code })) : Promise.resolve()
    })
    expect(tries).toBe(2)
  },
)

test('any other error is thrown at once', async () => {
  let tries = 0
  const record = () => {
    tries += 1
    return Promise.reject(Object.assign(new Error('a mistake'), { code: '23505' }))
  }
  await expect(recordOutcome(record)).rejects.toThrow('a mistake')
  expect(tries).toBe(1)
})

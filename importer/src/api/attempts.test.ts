import { describe, expect, test } from 'vitest'
import { ImportStopped, Unavailable } from './api-error.ts'
import { settle, type Outcome } from './attempts.ts'

const policy = { attempts: 3, firstDelayMs: 1, maxDelayMs: 2 }
const created: Outcome = { kind: 'created' }
const problem = { field: undefined, message: 'An unexpected error occurred.', code: 'INTERNAL_SERVER_ERROR' }
const again: Outcome = { kind: 'again', problem }
const never = new AbortController().signal

describe('rows that fail for a temporary reason', () => {
  test('are tried again, without the other rows', async () => {
    const attempts: string[][] = []
    const settled = await settle(
      ['a', 'b'],
      (rows) => {
        attempts.push([...rows])
        return Promise.resolve(rows.map((row) => (row === 'b' && attempts.length < 3 ? again : created)))
      },
      policy,
      never,
    )
    expect(attempts).toEqual([['a', 'b'], ['b'], ['b']])
    expect([...settled]).toEqual([
      ['a', created],
      ['b', created],
    ])
  })

  test('each time are refused with the server’s message', async () => {
    const settled = await settle(['a'], () => Promise.resolve([again]), policy, never)
    expect(settled.get('a')).toEqual({ kind: 'refused', problems: [problem] })
  })

  test('wait for an API that recovers', async () => {
    let calls = 0
    const attempt = () => {
      calls += 1
      return calls < 3 ? Promise.reject(new Unavailable('down')) : Promise.resolve([created])
    }
    expect((await settle(['a'], attempt, policy, never)).get('a')).toEqual(created)
  })

  test('stop the import, and are not refused, if the API stays unavailable', async () => {
    const attempt = () => Promise.reject(new Unavailable('down'))
    await expect(settle(['a'], attempt, policy, never)).rejects.toThrow(ImportStopped)
  })

  test('stop waiting when the import is interrupted', async () => {
    const stopping = new AbortController()
    const settling = settle(
      ['a'],
      () => Promise.resolve([again]),
      { ...policy, firstDelayMs: 60_000, maxDelayMs: 60_000 },
      stopping.signal,
    )
    stopping.abort()
    await expect(settling).rejects.toThrow(ImportStopped)
  })
})

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../action/session.ts'
import { refused } from '../state-machine.ts'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { createTeamMember, sessionAs } from '../testing/test-team.ts'
import { type UserEvent, userMachine, type UserStatus } from './user-machine.ts'

let shop: TestShop
let merchant: TestMerchant
let session: Session
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  session = await sessionAs(shop, merchant, 'Owner')
})
afterAll(() => shop.close())

const actions: Readonly<Record<Exclude<UserEvent, 'join'>, string>> = {
  suspend: 'suspendUser',
  reactivate: 'reactivateUser',
  delete: 'deleteUser',
}

test('a user follows the state table after any events in any order', async () => {
  const walk = fc.array(fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[])), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(walk, fc.constantFrom('INACTIVE', 'ACTIVE'), async (events, start) => {
      const { id } = await createTeamMember(shop, merchant, 'Support', start)
      let expected: UserStatus = start
      for (const event of events) {
        const next: UserStatus | typeof refused = userMachine[expected][event]
        const answer = await shop.call(merchant, actions[event], { id }, { session })
        if (next === refused) {
          expect(answer).toMatchObject({ kind: 'invalid', errors: [{ field: 'id', code: 'INVALID_VALUE' }] })
        } else {
          expect(answer.kind).toBe('done')
          expected = next
        }
        const [row] = await shop.database`SELECT status FROM identity.user WHERE id = ${id}`
        expect(row).toEqual({ status: expected })
      }
    }),
    { numRuns: 40 },
  )
}, 60_000)

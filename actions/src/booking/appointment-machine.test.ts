import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import { refused } from '../state-machine.ts'
import {
  createService,
  createStaffMember,
  daysAhead,
  everyDay,
  type TestService,
} from '../testing/booking-calendar.ts'
import { dataOf, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { type AppointmentEvent, appointmentMachine, type AppointmentStatus } from './appointment-machine.ts'

let shop: TestShop
let merchant: TestMerchant
let service: TestService
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  service = await createService(shop, merchant)
})
afterAll(() => shop.close())

const events: Record<AppointmentEvent, (id: string, step: number) => Promise<Answer>> = {
  confirm: (id) => shop.call(merchant, 'confirmAppointment', { id }),
  // A time that the appointment hasn't had yet, and that is far from the times of new ones.
  reschedule: (id, step) =>
    shop.call(merchant, 'rescheduleAppointment', { id, input: { startTime: daysAhead(10 + step, '12:00') } }),
  start: (id) => shop.call(merchant, 'startAppointment', { id }),
  complete: (id) => shop.call(merchant, 'completeAppointment', { id }),
  cancel: (id) => shop.call(merchant, 'cancelAppointment', { id }),
  async miss(id) {
    // Only an appointment whose time has come can be missed, so it is moved into the past for this event.
    const [kept] = await shop.database<{ start_time: Date; end_time: Date }[]>`
      SELECT start_time, end_time FROM booking.appointment WHERE id = ${id}`
    await shop.database`
      UPDATE booking.appointment SET start_time = now() - interval '30 minutes', end_time = now() WHERE id = ${id}`
    const answer = await shop.call(merchant, 'markAppointmentNoShow', { id })
    await shop.database`
      UPDATE booking.appointment SET start_time = ${kept?.start_time ?? null}, end_time = ${kept?.end_time ?? null}
      WHERE id = ${id}`
    return answer
  },
}

test('an appointment follows its state table after any events in any order', async () => {
  const walk = fc.array(fc.constantFrom(...(Object.keys(events) as AppointmentEvent[])), {
    minLength: 1,
    maxLength: 7,
  })
  await fc.assert(
    fc.asyncProperty(walk, async (happenings) => {
      const staffId = await createStaffMember(shop, merchant, {
        services: [service],
        schedule: everyDay('00:00', '24:00'),
      })
      const input = {
        serviceId: service.id,
        staffId,
        customerId: merchant.customerId,
        startTime: daysAhead(2, '12:00'),
      }
      const { appointmentId } = dataOf(await shop.call(merchant, 'createAppointment', { input }))
      const id = String(appointmentId)
      let expected: AppointmentStatus = 'SCHEDULED'
      for (const [step, event] of happenings.entries()) {
        const next: AppointmentStatus | typeof refused = appointmentMachine[expected][event]
        const answer = await events[event](id, step)
        if (next === refused) {
          expect(answer).toMatchObject({ kind: 'invalid', errors: [{ field: 'id', code: 'INVALID_VALUE' }] })
        } else {
          expect(answer.kind).toBe('done')
          expected = next
        }
        const [row] = await shop.database`SELECT status FROM booking.appointment WHERE id = ${id}`
        expect(row).toEqual({ status: expected })
      }
    }),
    { numRuns: 40 },
  )
}, 60_000)

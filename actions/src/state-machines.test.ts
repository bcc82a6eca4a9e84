import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { appointmentMachine } from './booking/appointment-machine.ts'
import { deliveryMachine } from './messaging/outbox/delivery-machine.ts'
import { campaignMachine } from './email/campaign-machine.ts'
import { userMachine } from './identity/user-machine.ts'
import { reservationMachine } from './inventory/reservation-machine.ts'
import { stockAlertMachine } from './inventory/stock-alert-machine.ts'
import { transferMachine } from './inventory/transfer-machine.ts'
import { orderMachine } from './ordering/order-machine.ts'
import { paymentMachine } from './payment/payment-machine.ts'
import { refused } from './state-machine.ts'

type Machine = Readonly<Record<string, Readonly<Record<string, string>>>>
/** By event: the states in which it is allowed, and the state after it. */
type Transitions = Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>

const machines: Readonly<Record<string, readonly Machine[]>> = {
  booking: [appointmentMachine],
  'messaging/outbox': [deliveryMachine],
  email: [campaignMachine],
  identity: [userMachine],
  inventory: [reservationMachine, stockAlertMachine, transferMachine],
  ordering: [orderMachine],
  payment: [paymentMachine],
}

/** The tables of a SPEC.md that begin with `Event`, `From` and `To`. */
function specified(domain: string): readonly Transitions[] {
  const text = readFileSync(path.join(import.meta.dirname, domain, 'SPEC.md'), 'utf8')
  const tables = text.matchAll(/^\| Event +\| From +\| To +\|.*\n\|[-| ]+\n((?:\|.*\n)+)/gm)
  return [...tables].map(([, rows = '']) =>
    Object.fromEntries(
      rows
        .trim()
        .split('\n')
        .map((row) => row.split('|').map((cell) => cell.trim()))
        .map(([, event = '', from = '', to = '']) => [event, { from: from.split(', ').sort(), to }]),
    ),
  )
}

function transitionsOf(machine: Machine): Transitions {
  const events = Object.keys(Object.values(machine)[0] ?? {})
  return Object.fromEntries(
    events.map((event) => {
      const from = Object.keys(machine).filter((state) => machine[state]?.[event] !== refused)
      return [
        event,
        { from: from.sort(), to: [...new Set(from.map((state) => machine[state]?.[event]))].join() },
      ]
    }),
  )
}

/** A table may have more events than its machine: those of the database itself. */
test.each(Object.keys(machines))('the machines of %s are those of its SPEC.md', (domain) => {
  for (const machine of machines[domain] ?? []) {
    const transitions = transitionsOf(machine)
    const events = Object.keys(transitions)
    const table = specified(domain).find((candidate) => events.every((event) => event in candidate))
    expect(table, `the table with ${events.join(', ')}`).toMatchObject(transitions)
  }
})

import { refused, type StateMachine, transition } from '../state-machine.ts'

export type StockAlertStatus = 'PENDING' | 'NOTIFIED' | 'CANCELLED'

/** notify: the SKU is available again, and the mail is claimed. cancel: the customer waits no more. */
export type StockAlertEvent = 'notify' | 'cancel'

/** See SPEC.md. */
export const stockAlertMachine: StateMachine<StockAlertStatus, StockAlertEvent> = {
  PENDING: { notify: 'NOTIFIED', cancel: 'CANCELLED' },
  NOTIFIED: { notify: refused, cancel: refused },
  CANCELLED: { notify: refused, cancel: refused },
}

export const cancelAlert = transition(stockAlertMachine, 'cancel')

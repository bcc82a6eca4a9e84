import type { StatusName } from '../orders/order-names.ts'

/** Whether a service, a person or a resource takes new appointments. */
export const bookableStatus = (active: boolean): StatusName =>
  active ? { tone: 'good', name: 'bookable' } : { tone: 'calm', name: 'archived' }

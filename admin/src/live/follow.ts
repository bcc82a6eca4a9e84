import { createSubscriptions } from '@commerce-graph/client/subscriptions'
import { askAgain, client, type Subject } from '../api/api.ts'
import {
  LiveEventsDocument,
  type LiveEventsSubscription,
  NewOrdersDocument,
  type NewOrdersSubscription,
} from '../generated/operations.ts'
import { subjectsOf } from './subjects-of-events.ts'

export type NewOrder = NewOrdersSubscription['orderCreated']

const subscriptions = createSubscriptions(client)

/** Milliseconds. What changes together is asked for once. */
const gatherFor = 300

function gather(): (subjects: readonly Subject[]) => void {
  const changed = new Set<Subject>()
  let timer: ReturnType<typeof setTimeout> | undefined
  return (subjects) => {
    for (const subject of subjects) changed.add(subject)
    timer ??= setTimeout(() => {
      timer = undefined
      void askAgain([...changed])
      changed.clear()
    }, gatherFor)
  }
}

/** Has what is shown asked again as soon as somebody changes it. */
export async function followEvents(signal: AbortSignal): Promise<void> {
  const changed = gather()
  const events = subscriptions.subscribe<LiveEventsSubscription>(
    LiveEventsDocument.toString(),
    {},
    { signal, resume: (data) => ({ after: data.events.position }) },
  )
  for await (const data of events) changed(subjectsOf(data.events.topic))
}

/** Calls back for each new order, and has lists of orders asked again. */
export async function followOrders(signal: AbortSignal, onOrder: (order: NewOrder) => void): Promise<void> {
  const changed = gather()
  const orders = subscriptions.subscribe<NewOrdersSubscription>(
    NewOrdersDocument.toString(),
    {},
    { signal, resume: (data) => ({ after: data.orderCreated.orderNumber }) },
  )
  for await (const data of orders) {
    changed(['orders', 'home', 'stock'])
    onOrder(data.orderCreated)
  }
}

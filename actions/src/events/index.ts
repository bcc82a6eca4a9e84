export type { RowEvent } from './event.ts'
export { EVENT_QUEUE, type EventQueue, openEventQueue } from './event-queue.ts'
export { eventHandlers } from './handlers.ts'
export { receiveEvents } from './receive-events.ts'

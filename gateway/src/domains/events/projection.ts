import { descending } from '../../projection/condition.ts'
import {
  after,
  anyOf,
  atLeast,
  atMost,
  before,
  equals,
  idEquals,
  statusFilters,
} from '../../projection/filter.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const eventList: ConnectionProjection = {
  projection: 'Event',
  sortFields: { POSITION: { column: 'position', type: 'String' } },
  preset: { sortBy: 'POSITION', direction: 'asc' },
  filters: {
    topic: equals('topic', 'String'),
    recordType: equals('record_type', 'String'),
    recordId: idEquals('record_id'),
    afterPosition: after('position', 'String'),
    startDate: atLeast('occurred_at', 'timestamptz'),
    endDate: atMost('occurred_at', 'timestamptz'),
  },
}

/** More than there are types. */
const maxTypes = 50

const deletionList: ConnectionProjection = {
  projection: 'DeletedRecord',
  sortFields: { DELETED_AT: { column: 'deleted_at', type: 'timestamptz' } },
  preset: { sortBy: 'DELETED_AT', direction: 'asc' },
  filters: {
    types: anyOf('record_type', 'String', maxTypes),
    deletedAfter: atLeast('deleted_at', 'timestamptz'),
    deletedBefore: before('deleted_at', 'timestamptz'),
  },
}

const latestFirst = {
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' } },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
} as const

const endpointList: ConnectionProjection = {
  projection: 'WebhookEndpoint',
  ...latestFirst,
  sortFields: { ...latestFirst.sortFields, ...updatedAtSort },
  filters: { ...statusFilters(), ...updatedAtFilters },
}

const deliveryList: ConnectionProjection = {
  projection: 'WebhookDelivery',
  ...latestFirst,
  filters: {
    endpointId: idEquals('endpoint_id'),
    eventId: idEquals('event_id'),
    topic: equals('topic', 'String'),
    recordId: idEquals('record_id'),
    ...statusFilters(),
    startDate: atLeast('created_at', 'timestamptz'),
    endDate: atMost('created_at', 'timestamptz'),
  },
}

export const events: DomainProjection = {
  subscriptions: {
    // The sequencer gives positions under a lock that it holds until they are committed (sql/events/functions/sequence.sql).
    events: {
      kind: 'stream',
      projection: 'Event',
      cursor: { column: 'position', type: 'String', argument: 'after' },
    },
  },
  queries: {
    event: { kind: 'lookup', projection: 'Event', by: { id: idEquals('id') } },
    events: { kind: 'connection', connection: eventList },
    deletedRecords: { kind: 'connection', connection: deletionList },
    webhookEndpoint: { kind: 'lookup', projection: 'WebhookEndpoint', by: { id: idEquals('id') } },
    webhookEndpoints: { kind: 'connection', connection: endpointList },
    webhookDelivery: { kind: 'lookup', projection: 'WebhookDelivery', by: { id: idEquals('id') } },
    webhookDeliveries: { kind: 'connection', connection: deliveryList },
  },
  types: {
    Event: { type: 'Event', table: 'events_event' },
    DeletedRecord: {
      type: 'DeletedRecord',
      table: 'events_deletion',
      fields: { type: { kind: 'column', column: 'record_type' } },
    },
    WebhookEndpoint: {
      type: 'WebhookEndpoint',
      table: 'events_endpoint',
      // The database has it sealed. Actions answer it once.
      fields: { secret: { kind: 'constant', value: null } },
    },
    WebhookDelivery: {
      type: 'WebhookDelivery',
      table: 'events_delivery',
      fields: {
        attemptCount: { kind: 'column', column: 'attempts' },
        attempts: {
          kind: 'list',
          relationship: 'attempt_log',
          orderBy: [descending('number'), descending('id')],
        },
      },
    },
    WebhookAttempt: { type: 'WebhookAttempt', table: 'events_attempt' },
  },
}

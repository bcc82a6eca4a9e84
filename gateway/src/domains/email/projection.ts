import { ascending } from '../../projection/condition.ts'
import { atLeast, atMost, equals, idEquals, searchIn, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const newestFirst = {
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' }, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
} as const

const templates: ConnectionProjection = {
  projection: 'EmailTemplate',
  ...newestFirst,
  filters: { kind: equals('kind', 'String'), ...updatedAtFilters },
}

const campaigns: ConnectionProjection = {
  projection: 'EmailCampaign',
  ...newestFirst,
  filters: {
    ...statusFilters(),
    segmentId: idEquals('segment_id'),
    searchQuery: searchIn({ name: 'String' }),
    ...updatedAtFilters,
  },
}

const deliveries: ConnectionProjection = {
  projection: 'EmailDelivery',
  ...newestFirst,
  filters: {
    ...statusFilters(),
    kind: equals('kind', 'String'),
    customerId: idEquals('customer_id'),
    campaignId: idEquals('campaign_id'),
    recipient: equals('recipient', 'citext'),
    startDate: atLeast('created_at', 'timestamptz'),
    endDate: atMost('created_at', 'timestamptz'),
    ...updatedAtFilters,
  },
}

/** The number of a campaign's messages with one of these statuses. */
const count = (...statuses: readonly string[]) =>
  ({
    kind: 'aggregate',
    relationship: 'deliveries',
    aggregate: { function: 'count' },
    ...(statuses.length > 0 && { where: { _or: statuses.map((status) => ({ status: { _eq: status } })) } }),
  }) as const

/** More than there are kinds. */
const maxLinks = 20

export const email: DomainProjection = {
  queries: {
    emailTemplate: {
      kind: 'lookup',
      projection: 'EmailTemplate',
      by: { id: idEquals('id'), kind: equals('kind', 'String') },
    },
    emailTemplates: { kind: 'connection', connection: templates },
    emailCampaign: {
      kind: 'lookup',
      projection: 'EmailCampaign',
      by: { id: idEquals('id') },
    },
    emailCampaigns: { kind: 'connection', connection: campaigns },
    emailLinks: {
      kind: 'list',
      projection: 'EmailLink',
      filters: {},
      orderBy: [ascending('kind')],
      limit: maxLinks,
    },
    emailDelivery: {
      kind: 'lookup',
      projection: 'EmailDelivery',
      by: { id: idEquals('id') },
    },
    emailDeliveries: { kind: 'connection', connection: deliveries },
  },
  types: {
    EmailTemplate: { type: 'EmailTemplate', table: 'email_template' },
    EmailCampaign: {
      type: 'EmailCampaign',
      table: 'email_campaign',
      fields: {
        total: count(),
        sent: count('SENT'),
        failed: count('FAILED', 'BOUNCED'),
        suppressed: count('SUPPRESSED'),
        deliveries: { kind: 'connection', relationship: 'deliveries', connection: deliveries },
      },
    },
    EmailLink: { type: 'EmailLink', table: 'email_link' },
    EmailDelivery: { type: 'EmailDelivery', table: 'email_delivery' },
  },
}

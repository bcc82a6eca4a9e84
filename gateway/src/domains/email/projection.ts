import { ascending } from '../../projection/condition.ts'
import { atLeast, atMost, equals, idEquals, searchIn } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const newestFirst = {
  sortFields: { CREATED_AT: { column: 'createdAt', type: 'timestamptz' } },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
} as const

const templates: ConnectionProjection = {
  projection: 'EmailTemplate',
  ...newestFirst,
  filters: { kind: equals('kind', 'String') },
}

const campaigns: ConnectionProjection = {
  projection: 'EmailCampaign',
  ...newestFirst,
  filters: {
    status: equals('status', 'String'),
    segmentId: idEquals('segmentId'),
    searchQuery: searchIn({ name: 'String' }),
  },
}

const deliveries: ConnectionProjection = {
  projection: 'EmailDelivery',
  ...newestFirst,
  filters: {
    status: equals('status', 'String'),
    kind: equals('kind', 'String'),
    customerId: idEquals('customerId'),
    campaignId: idEquals('campaignId'),
    recipient: equals('recipient', 'citext'),
    startDate: atLeast('createdAt', 'timestamptz'),
    endDate: atMost('createdAt', 'timestamptz'),
  },
}

/** How many of a campaign's messages stand so. */
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
      table: 'emailTemplates',
      projection: 'EmailTemplate',
      by: { id: idEquals('id') },
    },
    emailTemplates: { kind: 'connection', table: 'emailTemplates', connection: templates },
    emailCampaign: {
      kind: 'lookup',
      table: 'emailCampaigns',
      projection: 'EmailCampaign',
      by: { id: idEquals('id') },
    },
    emailCampaigns: { kind: 'connection', table: 'emailCampaigns', connection: campaigns },
    emailLinks: {
      kind: 'list',
      table: 'emailLinks',
      projection: 'EmailLink',
      filters: {},
      orderBy: [ascending('kind')],
      limit: maxLinks,
    },
    emailDelivery: {
      kind: 'lookup',
      table: 'emailDeliveries',
      projection: 'EmailDelivery',
      by: { id: idEquals('id') },
    },
    emailDeliveries: { kind: 'connection', table: 'emailDeliveries', connection: deliveries },
  },
  types: {
    EmailTemplate: { type: 'EmailTemplate', from: 'EmailTemplate' },
    EmailCampaign: {
      type: 'EmailCampaign',
      from: 'EmailCampaign',
      fields: {
        total: count(),
        sent: count('SENT'),
        failed: count('FAILED', 'BOUNCED'),
        suppressed: count('SUPPRESSED'),
        deliveries: { kind: 'connection', relationship: 'deliveries', connection: deliveries },
      },
    },
    EmailLink: { type: 'EmailLink', from: 'EmailLink' },
    EmailDelivery: { type: 'EmailDelivery', from: 'EmailDelivery' },
  },
}

import { notFound, type UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Queryable } from '../database.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { type AddressRules, urlFault } from './endpoint-address.ts'
import type { Condition, Subscription } from './endpoints.ts'
import { payloadDocument } from './payload-document.ts'
import type { Payloads } from './payloads.ts'
import { renderingBatch } from './render-payloads.ts'

interface Topic {
  readonly name: string
  readonly recordType: string
  readonly permission: string
  readonly fields: readonly string[]
}

const topicsOf = (sql: Queryable) => sql<Topic[]>`
  SELECT t.name, s.record_type AS "recordType", s.permission,
    ARRAY(SELECT events.field_name(c) FROM unnest(s.columns) c) AS fields
  FROM events.topic t JOIN events.source s ON s.name = t.source`

export interface SubscriptionChecks {
  readonly database: Queryable
  readonly payloads: Payloads | null
  readonly rules: AddressRules
}

/** What is wrong with a subscription that a caller with these permissions writes; null for what stays as it is. */
export async function faultsOfSubscription(
  { database, payloads, rules }: SubscriptionChecks,
  { url, topics, filter, query }: Subscription,
  caller: { readonly merchantId: MerchantId; readonly permissions: ReadonlySet<string> },
): Promise<readonly UserError[]> {
  const known = await topicsOf(database)
  const heard = new Set<Topic>()
  const faults: UserError[] = []
  const urlMessage = urlFault(url, rules)
  if (urlMessage !== null) faults.push(invalidValue('url', urlMessage))
  for (const [index, name] of topics.entries()) {
    const named = known.filter((topic) => topic.name === name || covers(name, topic.name))
    const permitted = named.filter(({ permission }) => caller.permissions.has(permission))
    const [first] = named
    if (first === undefined) faults.push(notFound(`topics.${index}`, 'Topic'))
    else if (permitted.length === 0)
      faults.push(invalidValue(`topics.${index}`, `To hear of it takes the permission ${first.permission}`))
    for (const topic of permitted) heard.add(topic)
  }
  if (faults.length > 0) return faults
  const conditionFaults = filter.flatMap((condition, index) =>
    faultsOfCondition(condition, index, [...heard]),
  )
  if (conditionFaults.length > 0 || query === null) return conditionFaults
  const types = [...new Set([...heard].map(({ recordType }) => recordType))].sort()
  return faultsOfQuery(payloads, query, types, caller)
}

const covers = (pattern: string, topic: string): boolean =>
  pattern === '*' || (pattern.endsWith('.*') && topic.startsWith(pattern.slice(0, -1)))

function faultsOfCondition(
  { field, changed, equals, oneOf, atLeast, atMost }: Condition,
  index: number,
  heard: readonly Topic[],
): readonly UserError[] {
  if (!heard.some(({ fields }) => fields.includes(field)))
    return [invalidValue(`filter.${index}.field`, 'No record of these topics has such a field')]
  const says = [equals, oneOf, atLeast, atMost].some((one) => one != null) || changed === true
  return says
    ? []
    : [
        invalidValue(
          `filter.${index}`,
          'A condition needs one of changed: true, equals, oneOf, atLeast and atMost',
        ),
      ]
}

/** No record has it: the query is checked, and reads nothing. */
const noRecord = '00000000-0000-0000-0000-000000000000'
const maxFaults = 5

/** The contract itself checks the query, as it will run it: fields, permissions, depth and complexity. */
async function faultsOfQuery(
  payloads: Payloads | null,
  query: string,
  types: readonly string[],
  { merchantId, permissions }: { readonly merchantId: MerchantId; readonly permissions: ReadonlySet<string> },
): Promise<readonly UserError[]> {
  if (payloads === null) throw new Error('There is no contract to check the query of a webhook with.')
  const document = payloadDocument(query, types)
  if (document.kind === 'invalid') return [invalidValue('query', document.message)]
  const reader = { merchantId, endpointId: noRecord, permissions: [...permissions], isDraft: true }
  const references = Array.from({ length: Math.max(renderingBatch, types.length) }, (_, index) => ({
    type: types[index % types.length] ?? '',
    id: noRecord,
  }))
  const read = await payloads.read(reader, document.text, references)
  switch (read.kind) {
    case 'read':
      return [...new Set(read.records.flatMap(({ errors }) => errors))]
        .slice(0, maxFaults)
        .map((message) => invalidValue('query', message))
    case 'refused':
      return read.errors.slice(0, maxFaults).map((message) => invalidValue('query', message))
    case 'unreachable':
      throw new Error(`The query of a webhook could not be checked: ${read.reason}`)
    default:
      return read satisfies never
  }
}

import type { TokenIssuer } from '@commerce-graph/access-tokens'
import { loadContract } from '@commerce-graph/contract'
import { type Action, type ActionCall, defineAction } from '../../action/action.ts'
import { type Answer, done, forbidden, idempotencyKeyReused, invalid, notFound } from '../../action/answer.ts'
import type { IdempotencyKeys } from '../../action/idempotency-keys.ts'
import { invalidValue } from '../../action/input.ts'
import { ownerOf, type Session } from '../../action/session.ts'
import type { Database } from '../../database.ts'
import * as bulk from '../../sql/generated/bulk.ts'
import { pageReader } from './contract-client.ts'
import { readExportQuery } from './export-query.ts'

export interface ExportActionOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly tokenIssuer: TokenIssuer
  /** The contract's endpoint. */
  readonly graphqlUrl: string | undefined
}

/** Exports of a merchant's keys and users that have not ended. */
const maxExports = 10
/** Records of a page: the most that the contract's bound of complexity allows for the query. */
const pageSizes = [100, 50, 20, 10, 5, 1]
/** What a customer's data takes besides `exports:write`. */
const dataPermissions = ['customers', 'orders', 'payments', 'carts', 'booking', 'email', 'audit'].map(
  (resource) => `${resource}:read`,
)

/** The actions of exports, by the name of the mutation. */
export const exportActions = (options: ExportActionOptions): Readonly<Record<string, Action>> => ({
  createExport: create(options),
  exportCustomerData: exportData(options),
  cancelExport: cancel(options),
})

const create = (options: ExportActionOptions): Action =>
  defineAction('createExport', {
    keeping: 'in steps',
    async handle(call, { input: { query, format, compressed } }) {
      const tried = await tryQuery(options, call, query)
      if (tried.kind === 'refused') return invalid(invalidValue('query', tried.reason))
      const { pageSize } = tried
      const outcome = await options.keys.once(
        call,
        (sql) =>
          bulk.createExport(sql, {
            merchantId: call.session.merchantId,
            export: {
              kind: 'QUERY',
              format: format ?? 'JSON_LINES',
              compressed: compressed ?? false,
              query,
              page_size: pageSize,
              ...holderColumns(call.session),
            },
            max: maxExports,
          }),
        ({ outcome }) => outcome === 'created',
      )
      return outcome.outcome === 'key_reused'
        ? idempotencyKeyReused(outcome.key)
        : createdAnswer(call, outcome, 'query')
    },
  })

type Tried =
  | { readonly kind: 'good'; readonly pageSize: number }
  | { readonly kind: 'refused'; readonly reason: string }

/** Checks a query by reading its first page, as the job will. */
async function tryQuery(options: ExportActionOptions, { session }: ActionCall, text: string): Promise<Tried> {
  const read = readExportQuery(loadContract().schema, text)
  if (read.kind === 'refused') return read
  const { holder_kind: kind, holder_id: id } = holderColumns(session)
  if (kind === 'CUSTOMER') throw new Error('createExport is declared for shoppers')
  const { graphqlUrl, tokenIssuer } = options
  if (graphqlUrl === undefined) throw new Error('The actions were started without the contract’s address')
  const readPage = pageReader(
    { graphqlUrl, tokenIssuer },
    {
      merchantId: session.merchantId,
      // The export has no id yet: the token names its caller.
      jobId: id,
      holder: { kind: kind === 'KEY' ? 'key' : 'user', id },
      permissions: [...session.permissions],
    },
  )
  for (const first of pageSizes) {
    const answer = await readPage({ query: read.query.page, first, after: null, counted: false })
    switch (answer.kind) {
      case 'page':
        return { kind: 'good', pageSize: first }
      case 'refused':
        if (answer.id === 'SVC_GQL_002') break
        return answer
      case 'failed':
        throw new Error(`The query of an export could not be tried: ${answer.reason}`)
      default:
        answer satisfies never
    }
  }
  return { kind: 'refused', reason: 'A single record exceeds the complexity that a query may have' }
}

const exportData = ({ database }: ExportActionOptions): Action =>
  defineAction('exportCustomerData', {
    async handle(call, { customerId }) {
      const { session } = call
      if (session.role === 'customer' && session.customerId !== customerId)
        return forbidden('Shoppers export only their own data')
      const missing = dataPermissions.find((name) => !session.permissions.has(name))
      if (session.role !== 'customer' && missing !== undefined)
        return invalid(
          invalidValue('customerId', `All data of a customer takes the permission ${missing}, too`),
        )
      const outcome = await bulk.createExport(database, {
        merchantId: session.merchantId,
        export: {
          kind: 'CUSTOMER_DATA',
          format: 'JSON_LINES',
          compressed: false,
          customer_id: customerId,
          ...holderColumns(session),
        },
        max: maxExports,
      })
      return createdAnswer(call, outcome, 'customerId')
    },
  })

const cancel = ({ database }: ExportActionOptions): Action =>
  defineAction('cancelExport', {
    async handle({ session }, { id }) {
      const { merchantId } = session
      const outcome = await bulk.cancelExport(database, {
        merchantId,
        exportId: id,
        permissions: [...session.permissions],
        customerId: ownerOf(session),
      })
      switch (outcome.outcome) {
        case 'cancelled':
          return done({ merchantId, exportId: id })
        case 'unknown_export':
          return invalid(notFound('id', 'Export'))
        case 'export_refused':
          return invalid(invalidValue('id', `The export is ${outcome.status}`))
        default:
          return outcome satisfies never
      }
    },
  })

function createdAnswer(
  { session }: ActionCall,
  outcome: bulk.CreateExportAnswer,
  field: 'query' | 'customerId',
): Answer {
  switch (outcome.outcome) {
    case 'created':
      return done({ merchantId: session.merchantId, exportId: outcome.exportId })
    case 'unknown_customer':
      return invalid(notFound(field, 'Customer'))
    case 'too_many':
      return invalid(
        invalidValue(
          field,
          session.role === 'customer'
            ? 'The data was exported three times within a day'
            : `${maxExports} exports have not ended: wait for one, or cancel it`,
        ),
      )
    default:
      return outcome satisfies never
  }
}

interface HolderColumns {
  readonly holder_kind: 'KEY' | 'USER' | 'CUSTOMER'
  readonly holder_id: string
  readonly permissions: readonly string[]
}

function holderColumns(session: Session): HolderColumns {
  const permissions = [...session.permissions]
  if (session.role === 'customer')
    return { holder_kind: 'CUSTOMER', holder_id: session.customerId, permissions }
  const { keyId } = session
  if (session.role === 'merchant' && session.userId !== undefined)
    return { holder_kind: 'USER', holder_id: session.userId, permissions }
  if (keyId === undefined) throw new Error('The caller is neither a key nor a user nor a shopper')
  return { holder_kind: 'KEY', holder_id: keyId, permissions }
}

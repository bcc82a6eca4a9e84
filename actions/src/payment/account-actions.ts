import { randomUUID } from 'node:crypto'
import type { SecretBox } from '@commerce-graph/secret-box'
import { type Action, defineAction } from '../action/action.ts'
import { done, idempotencyKeyReused, invalid, notFound, type UserError } from '../action/answer.ts'
import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { Database } from '../database.ts'
import {
  type AccountCredentials,
  type AccountMode,
  kindOf,
  type ProcessorEndpoints,
  type ProcessorKind,
} from '../processors/index.ts'
import {
  connectAccount,
  credentialsOf,
  disableAccount,
  findAccount,
  type StoredAccount,
  updateAccount,
} from './accounts.ts'
import { type AccountVerdict, compareAccounts } from './compare-accounts.ts'

export interface AccountActionsOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly secretBox: SecretBox
  readonly endpoints: ProcessorEndpoints
  /** Whether this deployment moves real money; an account of the other mode is refused. */
  readonly mode: AccountMode
}

/** The merchant's actions on its own accounts at payment processors, by the name of the mutation. */
export const accountActions = (options: AccountActionsOptions): Readonly<Record<string, Action>> => ({
  connectPaymentAccount: connect(options),
  updatePaymentAccount: update(options),
  disablePaymentAccount: defineAction('disablePaymentAccount', {
    async handle({ session: { merchantId } }, { id }) {
      return (await disableAccount(options.database, merchantId, id))
        ? done({ merchantId, paymentAccountId: id })
        : invalid(notFound('id', 'Payment account'))
    },
  }),
})

const connect = (options: AccountActionsOptions): Action =>
  defineAction('connectPaymentAccount', {
    check: ({ input: { processor, clientId } }) => faultsOfClientId(processor, clientId),
    // The processor is asked whether it takes the key, with no transaction open.
    keeping: 'in steps',
    async handle(call, { input }) {
      const { merchantId } = call.session
      const { processor, clientId, secretKey, webhookSecret } = input
      const credentials = { clientId, secretKey, webhookSecret }
      const checked = await checkCredentials(options, processor, credentials)
      if (checked.kind === 'refused') return invalid(checked.error)
      const outcome = await options.keys.once(
        call,
        async (sql) => {
          const account = { id: randomUUID(), merchantId, processor, name: input.name ?? nameOf[processor] }
          const id = await connectAccount(sql, options.secretBox, {
            ...account,
            mode: checked.mode,
            credentials,
          })
          return { outcome: 'connected', id } as const
        },
        () => true,
      )
      return outcome.outcome === 'key_reused'
        ? idempotencyKeyReused(outcome.key)
        : done({ merchantId, paymentAccountId: outcome.id })
    },
  })

const nameOf = { STRIPE: 'Stripe', PAYPAL: 'PayPal' } as const satisfies Record<ProcessorKind['name'], string>

const hasClientId = { STRIPE: false, PAYPAL: true } as const satisfies Record<ProcessorKind['name'], boolean>

function faultsOfClientId(processor: ProcessorKind['name'], clientId: string | null): readonly UserError[] {
  if (hasClientId[processor] === (clientId !== null)) return []
  return clientId === null
    ? [userError('clientId', { kind: 'required' })]
    : [invalidValue('clientId', `${nameOf[processor]} has no client ID`)]
}

const update = (options: AccountActionsOptions): Action =>
  defineAction('updatePaymentAccount', {
    absent: 'kept',
    keeping: 'in steps',
    async handle(call, { id, input }) {
      const { merchantId } = call.session
      const { database, secretBox, keys } = options
      const account = await findAccount(database, merchantId, id)
      if (account === null) return invalid(notFound('id', 'Payment account'))
      const before = credentialsOf(secretBox, account)
      const faults = faultsOfClientId(account.processor, input.clientId ?? before.clientId)
      if (faults.length > 0) return invalid(...faults)
      const credentials = {
        clientId: input.clientId ?? before.clientId,
        secretKey: input.secretKey ?? before.secretKey,
        webhookSecret: input.webhookSecret === undefined ? before.webhookSecret : input.webhookSecret,
      }
      let verdict: AccountVerdict = 'same'
      if (input.secretKey !== undefined || input.clientId !== undefined) {
        const checked = await checkCredentials(options, account.processor, credentials)
        if (checked.kind === 'refused') return invalid(checked.error)
        verdict = await compareAccounts(options, account, credentials)
        const fault = faultOfAccount(account, verdict)
        if (fault !== null) return invalid(fault)
      }
      const change = { name: input.name ?? null, credentials, isUnused: verdict === 'unused' }
      const outcome = await keys.once(
        call,
        (sql) => updateAccount(sql, secretBox, account, change),
        ({ outcome }) => outcome === 'updated',
      )
      switch (outcome.outcome) {
        case 'updated':
          return done({ merchantId, paymentAccountId: id })
        case 'changed':
          return invalid(
            invalidValue('id', 'The account was changed, or first used, at the same time: try again'),
          )
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  })

function faultOfAccount({ processor }: StoredAccount, verdict: AccountVerdict): UserError | null {
  switch (verdict) {
    case 'same':
    case 'unused':
      return null
    case 'other':
      return invalidValue(
        'secretKey',
        `The key belongs to another account at ${nameOf[processor]}, which doesn't know the payments made so far: use connectPaymentAccount`,
      )
    case 'unanswered':
      return invalidValue(
        'secretKey',
        `${nameOf[processor]} doesn't answer whether the key belongs to the account`,
      )
    default:
      return verdict satisfies never
  }
}

type Checked =
  | { readonly kind: 'good'; readonly mode: AccountMode }
  | { readonly kind: 'refused'; readonly error: UserError }

/** A processor that can't be reached says nothing against a key; the first payment tells. */
async function checkCredentials(
  { endpoints, mode: own }: Pick<AccountActionsOptions, 'endpoints' | 'mode'>,
  processor: ProcessorKind['name'],
  credentials: AccountCredentials,
): Promise<Checked> {
  const refused = (message: string): Checked => ({
    kind: 'refused',
    error: invalidValue('secretKey', message),
  })
  const kind = kindOf(processor)
  const mode = kind.modeOf(credentials)
  if (mode === null) return refused(`This has not the form of a secret key of ${nameOf[processor]}`)
  if (mode !== 'EITHER' && mode !== own)
    return refused(
      own === 'LIVE'
        ? 'The key is for tests and moves no money: this deployment takes live keys'
        : 'The key moves real money: this deployment is for tests and takes test keys',
    )
  const check = await kind.check(credentials, endpoints)
  // The processor's message may quote the key.
  return check.kind === 'refused'
    ? refused(`${nameOf[processor]} refuses the key: it is unknown, or lacks a permission`)
    : { kind: 'good', mode: own }
}

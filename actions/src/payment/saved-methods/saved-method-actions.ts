import { type Action, defineAction } from '../../action/action.ts'
import { actingAs } from '../../action/acting-as.ts'
import { type Answer, done, idempotencyKeyReused, invalid, notFound } from '../../action/answer.ts'
import { invalidValue, userError } from '../../action/input.ts'
import type { InputOf } from '../../action/read-input.ts'
import { ownerOf, type Session } from '../../action/session.ts'
import * as payment from '../../sql/generated/payment.ts'
import type { PaymentOptions } from '../payment-options.ts'
import { routeOf, unsupported } from '../payment-route.ts'
import type { KeptMethod } from './method-keeper.ts'
import { refusedToSave } from './save-with-payment.ts'
import { findSavedMethod, type SavedMethod } from './saved-methods.ts'

/** The actions on shoppers' saved methods, by the name of the mutation. */
export const savedMethodActions = (options: PaymentOptions): Readonly<Record<string, Action>> => ({
  savePaymentMethod: save(options),
  confirmSavedPaymentMethod: confirm(options),
  setDefaultPaymentMethod: setDefault(options),
  deleteSavedPaymentMethod: remove(options),
})

type SaveInput = InputOf<'savePaymentMethod', 'null'>['input']

const save = (options: PaymentOptions): Action =>
  defineAction('savePaymentMethod', {
    keeping: 'in steps',
    check: ({ input: { method } }) =>
      method === null || method === 'CARD'
        ? []
        : [invalidValue('method', `${method} can't be saved for later payments; only a CARD can`)],
    async handle(call, { input }) {
      const { merchantId } = call.session
      const customerId = customerOf(call.session, input)
      if (customerId === null) return invalid(userError('customerId', { kind: 'required' }))
      if (customerId === 'foreign') return invalid(notFound('customerId', 'Customer'))
      const route = await routeOf(options, merchantId, 'CARD')
      if (route === null) return unsupported()
      let asked: 'never' | 'maybe' = 'maybe'
      const outcome = await options.keys.once(
        call,
        (sql) => {
          asked = 'never'
          return payment.beginSavedMethod(actingAs(sql, call.session), {
            merchantId,
            customerId,
            ...route,
            methodId: input.paymentMethodId,
            returnUrl: input.returnUrl,
            paymentId: null,
          })
        },
        ({ outcome }) => outcome === 'begun',
      )
      if (outcome.outcome === 'key_reused') return idempotencyKeyReused(outcome.key)
      if (outcome.outcome !== 'begun') return refusedToSave(outcome, 'customerId')
      const method = await findSavedMethod(options.database, merchantId, outcome.savedMethodId, null)
      return method === null
        ? invalid(notFound('customerId', 'Customer'))
        : keptAnswer(method, await options.methodKeeper.complete(method, asked))
    },
  })

/** Null: a merchant's key has to name the customer. `foreign`: a shopper names another. */
function customerOf(session: Session, { customerId }: SaveInput): string | null {
  const owner = ownerOf(session)
  if (owner === null) return customerId
  return customerId === null || customerId === owner ? owner : 'foreign'
}

/** Repeated, it saves nothing twice. */
const confirm = ({ database, methodKeeper }: PaymentOptions): Action =>
  defineAction('confirmSavedPaymentMethod', {
    keeping: 'in steps',
    async handle({ session }, { id }) {
      const method = await findSavedMethod(database, session.merchantId, id, ownerOf(session))
      return method === null
        ? invalid(notFound('id', 'Saved payment method'))
        : keptAnswer(method, await methodKeeper.complete(method, 'maybe'))
    },
  })

const setDefault = ({ database }: PaymentOptions): Action =>
  defineAction('setDefaultPaymentMethod', {
    async handle({ session }, { id }) {
      const { merchantId } = session
      const { outcome } = await payment.setDefaultMethod(actingAs(database, session), {
        merchantId,
        id,
        customerId: ownerOf(session),
      })
      return outcome === 'changed'
        ? done({ merchantId, savedPaymentMethodId: id })
        : invalid(notFound('id', 'Saved payment method'))
    },
  })

/** It can't be used from the first step on; its row goes when the processor has answered that the method is gone there. */
const remove = ({ database, keys, methodKeeper }: PaymentOptions): Action =>
  defineAction('deleteSavedPaymentMethod', {
    keeping: 'in steps',
    async handle(call, { id }) {
      const { session } = call
      const { merchantId } = session
      const outcome = await keys.once(
        call,
        (sql) =>
          payment.beginMethodRemoval(actingAs(sql, session), {
            merchantId,
            id,
            customerId: ownerOf(session),
          }),
        ({ outcome }) => outcome === 'begun',
      )
      switch (outcome.outcome) {
        case 'begun': {
          const method = await findSavedMethod(database, merchantId, id, null)
          const left = method === null ? null : (await methodKeeper.complete(method, 'maybe')).method
          return done({ success: left === null })
        }
        case 'unknown_method':
          return invalid(notFound('id', 'Saved payment method'))
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  })

/** That the processor refused is data: the method is there, FAILED, and says why. */
const keptAnswer = (before: SavedMethod, { method, action }: KeptMethod): Answer =>
  done({
    merchantId: before.merchantId,
    savedPaymentMethodId: before.id,
    requiresAction: action,
    error:
      method?.status === 'FAILED'
        ? { code: method.failureCode, message: method.failureReason, declineCode: method.declineCode }
        : null,
  })

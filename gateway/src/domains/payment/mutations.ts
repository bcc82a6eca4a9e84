import type { MutationDefinition, Values } from '../../mutation/definition.ts'
import {
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  remove,
  table,
  update,
} from '../../mutation/rows.ts'

const optionTable = table('payment_payment_option')

const optionColumns = [
  'name',
  'instructions',
  'enabled',
  'position',
  'minAmount',
  'maxAmount',
  'paymentMinutes',
] as const

/** Each currency and country once. */
const listColumns = (input: {
  readonly currencies?: readonly string[] | null
  readonly countries?: readonly string[] | null
}): Values => ({
  ...(input.currencies != null && { currencies: [...new Set(input.currencies)] }),
  ...(input.countries != null && { countries: [...new Set(input.countries)] }),
})

export const paymentMutations: Readonly<Record<string, MutationDefinition>> = {
  createPaymentOption: creation<'createPaymentOption'>({
    record: 'PaymentOption',
    what: 'Payment option',
    write: (input) =>
      insertOne(optionTable, {
        ...pick(input, ['method', ...optionColumns], 'left out'),
        ...listColumns(input),
      }),
  }),
  updatePaymentOption: change<'updatePaymentOption'>({
    record: 'PaymentOption',
    what: 'Payment option',
    write: (input, { id }) =>
      update(optionTable, byId(id), { ...pick(input, optionColumns), ...listColumns(input) }),
  }),
  deletePaymentOption: deletion('Payment option', (id) => remove(optionTable, byId(id))),
}

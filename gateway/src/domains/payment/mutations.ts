import { action, type MutationDefinition } from '../../mutation/definition.ts'

const payment = {
  record: { relationship: 'payment', projection: 'Payment' },
  fromResult: ['requiresAction', 'error'],
} as const

export const paymentMutations: Readonly<Record<string, MutationDefinition>> = {
  processPayment: action(payment),
  confirmPayment: action(payment),
}

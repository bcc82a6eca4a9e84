import { action, type MutationDefinition } from '../../mutation/definition.ts'

const payment = {
  record: { relationship: 'payment', projection: 'Payment' },
  fromResult: ['requiresAction', 'error'],
} as const

const refund = { record: { relationship: 'refund', projection: 'Refund' } } as const

export const paymentMutations: Readonly<Record<string, MutationDefinition>> = {
  processPayment: action(payment),
  confirmPayment: action(payment),
  markPaymentReceived: action(payment),
  capturePayment: action(payment),
  voidPayment: action(payment),
  refundPayment: action(refund),
  retryRefund: action(refund),
  refundOrder: action(refund),
  refundReturn: action(refund),
}

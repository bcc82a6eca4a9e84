/** A time that is in the future for a reader: these days after the pages were built, at ten o'clock UTC. */
export const inDays = (days: number): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T10:00:00Z`

/** Of an operation's input, what its schema can't say: fields that a rule asks for, and values that fit each other. */
export const exampleInput: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createSchedule: { type: 'WEEKLY', weekday: 'MONDAY', startTime: '09:00', endTime: '17:00' },
  createExport: { query: '{ orders { nodes { id orderNumber total currency } } }' },
  createPromotion: {
    name: 'Summer',
    discountType: 'PERCENTAGE',
    discountValue: 10,
    endDate: inDays(60),
  },
  createTransfer: { toWarehouseId: '01a1f000-0000-7000-8000-000000000002' },
  createFileUpload: { contentType: 'image/jpeg' },
  processPayment: { method: 'CARD', paymentMethodId: 'pm_card_visa' },
  payAppointment: { method: 'CARD', paymentMethodId: 'pm_card_visa' },
  recordPayment: { method: 'CASH' },
  savePaymentMethod: { paymentMethodId: 'pm_card_visa', customerId: '01a1f000-0000-7000-8000-000000000001' },
  connectPaymentAccount: { processor: 'STRIPE', secretKey: 'sk_test_sandbox_my_shop' },
  replayWebhookDeliveries: { startDate: '2030-01-14T10:00:00Z', endDate: '2030-01-15T10:00:00Z' },
  setNotificationPreference: { kind: 'LOW_STOCK_ALERT' },
}

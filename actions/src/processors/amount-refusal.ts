import type { ChargeAnswer } from './processor.ts'

/** Why an amount is not sent to a processor: it doesn't take the currency, or not so small a part of it. */
export type AmountRefusal = 'currency_not_supported' | 'decimals_not_supported'

const messages = {
  currency_not_supported: 'The payment processor does not take this currency.',
  decimals_not_supported:
    'The payment processor does not take an amount with so small a part of this currency.',
} as const satisfies Record<AmountRefusal, string>

/** The answer to a charge or a capture whose amount can't be sent. Nothing was asked of the processor. */
export const refusedAmount = (intentId: string | null, refusal: AmountRefusal): ChargeAnswer => ({
  status: 'declined',
  intentId,
  card: null,
  decline: { code: refusal, message: messages[refusal], declineCode: null },
})

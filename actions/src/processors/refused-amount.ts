import type { AmountRefusal, ChargeAnswer } from './processor.ts'

/** What is said to those whose amount is refused. */
export const refusalMessages = {
  currency_not_supported: 'The payment processor does not take this currency.',
  decimals_not_supported:
    'The payment processor does not take an amount with so small a part of this currency.',
} as const satisfies Record<AmountRefusal, string>

/** The answer to a charge or a capture whose amount can't be sent. Nothing was asked of the processor. */
export const refusedAmount = (intentId: string | null, refusal: AmountRefusal): ChargeAnswer => ({
  status: 'declined',
  intentId,
  card: null,
  decline: { code: refusal, message: refusalMessages[refusal], declineCode: null },
})

import type { MerchantId } from '@commerce-graph/contract/ids'

/** The merchant that an operator names, of which there may be none. */
export const named = <Input extends { readonly merchantId: string }>(input: Input) => ({
  ...input,
  merchantId: input.merchantId as MerchantId,
})

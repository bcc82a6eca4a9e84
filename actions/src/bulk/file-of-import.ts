import type { MerchantId } from '@commerce-graph/contract/ids'

/** The key of an import's file in the storage. */
export const fileOfImport = (merchantId: MerchantId, importId: string): string =>
  `${merchantId}/private/imports/${importId}`

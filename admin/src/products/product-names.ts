import type { ProductStatus } from '../generated/operations.ts'
import type { StatusName } from '../orders/order-names.ts'

export const productStatuses = {
  ACTIVE: { tone: 'good', name: 'productActive' },
  DRAFT: { tone: 'wait', name: 'productDraft' },
  ARCHIVED: { tone: 'calm', name: 'productArchived' },
} as const satisfies Record<ProductStatus, StatusName>

export const isProductStatus = (text: string): text is ProductStatus => Object.hasOwn(productStatuses, text)

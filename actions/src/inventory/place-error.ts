import { notFound, type UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { PlaceRefusal } from '../sql/generated/inventory.ts'

/** Why there is no such place for stock, to the client. */
export function placeError({ field, reason }: PlaceRefusal): UserError {
  switch (reason) {
    case 'unknown_sku':
      return notFound(field, 'SKU')
    case 'has_variants':
      return invalidValue(
        field,
        'The product has variants, and no stock of its own: name the SKU of a variant',
      )
    case 'unknown_warehouse':
      return notFound(field, 'Warehouse')
    case 'no_warehouse':
      return invalidValue(field, 'There is no active warehouse to keep stock in')
    default:
      return reason satisfies never
  }
}

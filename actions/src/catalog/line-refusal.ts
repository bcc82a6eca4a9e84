import { notFound, type UserError } from '../action/answer.ts'
import { invalidValue, maxLines, maxMoney, maxQuantity, userError } from '../action/input.ts'
import type { LineRefusal } from '../sql/generated/catalog.ts'

/** @param field where the caller put the line, when that is not where SQL saw it */
export function lineError({ reason, currency, field: seen }: LineRefusal, field: string = seen): UserError {
  switch (reason) {
    case 'unknown_product':
      return notFound(field, 'Product')
    case 'unknown_variant':
      return notFound(field, 'Product variant')
    case 'product_not_active':
      return invalidValue(field, 'The product is not available for purchase')
    case 'variant_required':
      return userError(field, { kind: 'required' })
    case 'currency_mismatch':
      return invalidValue(field, `The product is not priced in ${currency ?? 'the same currency'}`)
    case 'quantity_too_large':
      return userError(field, {
        kind: 'range',
        value: 'of all lines of the product together',
        min: 1,
        max: maxQuantity,
      })
    case 'too_many_lines':
      return userError(field, { kind: 'range', value: 'of all lines', min: 1, max: maxLines })
    case 'total_too_large':
      return userError(field, { kind: 'range', value: 'of the total', min: 1, max: maxMoney })
    default:
      return reason satisfies never
  }
}

import type { JsonValue } from '../plan/input-value.ts'

/** Whether a handler's value is one of a scalar. Of scalars that GraphQL does not define itself, any value is. */
export const fitsScalar = (value: JsonValue, scalar: string): boolean => {
  switch (scalar) {
    case 'Int':
      return typeof value === 'number' && Number.isInteger(value)
    case 'Float':
      return typeof value === 'number'
    case 'Boolean':
      return typeof value === 'boolean'
    case 'String':
      return typeof value === 'string'
    case 'ID':
      return typeof value === 'string' || typeof value === 'number'
    default:
      return true
  }
}

import { randomUUID } from 'node:crypto'

/**
 * A value of the type that validators accept for the argument or field of that name, so that the request reaches the
 * data.
 */
export function sampleValue(type: string, name?: string): unknown {
  if (name === 'country' || name === 'countries') return 'US'
  switch (type) {
    case 'Int':
    case 'Float':
    case 'numeric':
      return 1
    case 'Money':
    case 'bigint':
      return 100
    case 'Boolean':
    case 'Boolean_cast_exp':
      return true
    case 'ID':
    case 'uuid':
      return randomUUID()
    case 'DateTime':
    case 'timestamptz':
      return '2030-01-01T00:00:00Z'
    case 'Date':
    case 'date':
      return '2030-01-01'
    case 'URL':
      return 'https://example.com/x.png'
    case 'EmailAddress':
    case 'citext':
      return `${randomUUID()}@example.com`
    case 'cidr':
      return '10.9.8.0/24'
    case 'JSON':
      return {}
    default:
      return 'USD'
  }
}

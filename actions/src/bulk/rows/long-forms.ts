import type { RecordType } from './row-types.ts'

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Writes the short forms of a product's row out: `stock: 5` or `{ "BEND": 5 }`, options as an object, pictures as URLs. A value of
 * another form stays, and the rules refuse it.
 */
export function longForms(type: RecordType, row: Values): Values {
  if (type !== 'PRODUCT') return row
  return {
    ...row,
    ...('stock' in row && { stock: longStock(row['stock']) }),
    ...(Array.isArray(row['images']) && {
      images: row['images'].map((image: unknown) => (typeof image === 'string' ? { url: image } : image)),
    }),
    ...(Array.isArray(row['variants']) && {
      variants: row['variants'].map((variant: unknown) =>
        isObject(variant) ? longVariant(variant) : variant,
      ),
    }),
  }
}

const longVariant = (variant: Values): Values => ({
  ...variant,
  ...('stock' in variant && { stock: longStock(variant['stock']) }),
  ...(isObject(variant['options']) && {
    options: Object.entries(variant['options']).map(([name, value]) => ({ name, value })),
  }),
})

function longStock(stock: unknown): unknown {
  if (typeof stock === 'number') return [{ available: stock }]
  return isObject(stock)
    ? Object.entries(stock).map(([warehouse, available]) => ({ warehouse, available }))
    : stock
}

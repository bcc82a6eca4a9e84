import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { InputError } from '../input/input-error.ts'
import { medusaCustomers } from './medusa-customers.ts'
import { medusaOrders } from './medusa-orders.ts'
import { medusaProducts } from './medusa-products.ts'
import type { Mapping, PlacedRow, Reader } from './shop-table.ts'
import { shopifyCustomers } from './shopify-customers.ts'
import { shopifyOrders } from './shopify-orders.ts'
import { shopifyProducts } from './shopify-products.ts'
import { woocommerceCustomers } from './woocommerce-customers.ts'
import { woocommerceOrders } from './woocommerce-orders.ts'
import { woocommerceProducts } from './woocommerce-products.ts'

/** The readers of other systems' files. */
const readers = {
  'shopify-orders': shopifyOrders,
  'shopify-products': shopifyProducts,
  'shopify-customers': shopifyCustomers,
  'woocommerce-orders': woocommerceOrders,
  'woocommerce-products': woocommerceProducts,
  'woocommerce-customers': woocommerceCustomers,
  'medusa-orders': medusaOrders,
  'medusa-products': medusaProducts,
  'medusa-customers': medusaCustomers,
} as const satisfies Readonly<Record<string, Reader>>

type ForeignFormat = keyof typeof readers

/** `jsonl` and `csv` are files of the platform's own rows; the others are another system's. */
export type Format = 'jsonl' | 'csv' | ForeignFormat

const foreignFormats = Object.keys(readers) as readonly ForeignFormat[]
export const formats: readonly Format[] = ['jsonl', 'csv', ...foreignFormats]

const mappingOf = (format: Format) => new URL(`../../mappings/${format}.json`, import.meta.url)

export interface ReadOptions {
  readonly format: ForeignFormat
  /** A mapping of the caller's own; null: the one that is checked in. */
  readonly mappingFile: string | null
  /** Of prices that don't say theirs. */
  readonly currency: string
}

/** The rows of another system's file as rows of the platform. */
export async function rowsOf(
  file: string,
  { format, mappingFile, currency }: ReadOptions,
): Promise<AsyncGenerator<PlacedRow>> {
  const mapping = await readMapping(mappingFile ?? mappingOf(format))
  return readers[format](file, { mapping, currency, now: new Date() })
}

async function readMapping(path: string | URL): Promise<Mapping> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new InputError(
      `${String(path)} is no mapping, an object of fields and columns: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

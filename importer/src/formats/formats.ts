import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { InputError } from '../input/input-error.ts'
import type { Mapping } from './shop-table.ts'
import { shopifyCustomers } from './shopify-customers.ts'
import { shopifyOrders } from './shopify-orders.ts'
import { shopifyProducts } from './shopify-products.ts'

/** `jsonl` and `csv` are files of the platform's own rows; the others are another system's. */
export const formats = ['jsonl', 'csv', 'shopify-orders', 'shopify-products', 'shopify-customers'] as const
export type Format = (typeof formats)[number]

const mappingOf = (format: Format) => new URL(`../../mappings/${format}.json`, import.meta.url)

export interface ReadOptions {
  readonly format: Exclude<Format, 'jsonl' | 'csv'>
  /** A mapping of the caller's own; null: the one that is checked in. */
  readonly mappingFile: string | null
  /** Of prices that don't say theirs. */
  readonly currency: string
}

/** The rows of another system's file as rows of the platform. */
export async function rowsOf(
  file: string,
  { format, mappingFile, currency }: ReadOptions,
): Promise<AsyncGenerator<Readonly<Record<string, unknown>>>> {
  const mapping = await readMapping(mappingFile ?? mappingOf(format))
  switch (format) {
    case 'shopify-orders':
      return shopifyOrders(file, mapping)
    case 'shopify-products':
      return shopifyProducts(file, mapping, currency)
    case 'shopify-customers':
      return shopifyCustomers(file, mapping)
    default:
      return format satisfies never
  }
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

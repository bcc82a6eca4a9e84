import { z } from 'zod'
import type { ProductRow } from '../input/product-row.ts'
import { Task } from './task.ts'

export const existingProduct = z
  .object({ id: z.string(), variants: z.array(z.object({ id: z.string(), sku: z.string() })) })
  .nullable()

type ExistingProduct = NonNullable<z.infer<typeof existingProduct>>

/** A product's row on its way through one attempt. */
export class ProductTask extends Task<ProductRow> {
  existing: ExistingProduct | undefined
  /** Known once the product is there. */
  id = ''
  categoryIds: string[] | undefined
  levels: readonly {
    readonly sku: string
    readonly warehouseId: string | undefined
    readonly units: number
    readonly at: string
  }[] = []
}

/** Those with something left to do. */
export const live = (tasks: readonly ProductTask[]): ProductTask[] => tasks.filter((task) => task.live)

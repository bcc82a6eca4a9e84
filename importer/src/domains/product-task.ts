import type { ProductBySkuQuery } from '../generated/operations.ts'
import type { ProductRow } from '../input/product-row.ts'
import { Task } from './task.ts'

/** The state of a product's row in one attempt. */
export class ProductTask extends Task<ProductRow> {
  existing: NonNullable<ProductBySkuQuery['product']> | undefined
  /** Known once the product exists. */
  id = ''
  categoryIds: string[] | undefined
  levels: readonly {
    readonly sku: string
    readonly warehouseId: string | undefined
    readonly units: number
    readonly at: string
  }[] = []
}

/** The tasks that are not finished. */
export const live = (tasks: readonly ProductTask[]): ProductTask[] => tasks.filter((task) => task.live)

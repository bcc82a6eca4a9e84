import type { RecordType } from '../rows/row-types.ts'
import { categoryWriter } from './category-writer.ts'
import { customerWriter } from './customer-writer.ts'
import { orderWriter } from './order-writer.ts'
import { productWriter } from './product-writer.ts'
import { promotionWriter } from './promotion-writer.ts'
import type { RecordWriter } from './record-writer.ts'
import { reviewWriter } from './review-writer.ts'

/** A writer, whose kind of prepared rows is its own affair. */
export type AnyRecordWriter = RecordWriter<unknown>

const writers: Readonly<Record<RecordType, unknown>> = {
  PRODUCT: productWriter,
  CUSTOMER: customerWriter,
  CATEGORY: categoryWriter,
  PROMOTION: promotionWriter,
  REVIEW: reviewWriter,
  ORDER: orderWriter,
}

/** A writer gets back only the rows that it has prepared itself. */
export const writerOf = (type: RecordType): AnyRecordWriter => writers[type] as AnyRecordWriter

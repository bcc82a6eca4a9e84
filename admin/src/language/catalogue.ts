import { frameMessages } from './catalogue/frame.ts'
import { orderMessages } from './catalogue/orders.ts'

/** Every text of the pages, in each language: a text that lacks one doesn't compile. */
export const catalogue = {
  ...frameMessages,
  ...orderMessages,
}

export type MessageName = keyof typeof catalogue

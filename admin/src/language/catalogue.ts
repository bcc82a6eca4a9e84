import { customerMessages } from './catalogue/customers.ts'
import { frameMessages } from './catalogue/frame.ts'
import { homeMessages } from './catalogue/home.ts'
import { orderMessages } from './catalogue/orders.ts'
import { productMessages } from './catalogue/products.ts'
import { settingsMessages } from './catalogue/settings.ts'

/** Every text of the pages, in each language: a text that lacks one doesn't compile. */
export const catalogue = {
  ...frameMessages,
  ...homeMessages,
  ...orderMessages,
  ...productMessages,
  ...customerMessages,
  ...settingsMessages,
}

export type MessageName = keyof typeof catalogue

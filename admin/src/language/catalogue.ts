import { categoryMessages } from './catalogue/categories.ts'
import { bookingMessages } from './catalogue/bookings.ts'
import { bookingSetupMessages } from './catalogue/booking-setup.ts'
import { campaignMessages } from './catalogue/campaigns.ts'
import { customerMessages } from './catalogue/customers.ts'
import { emailMessages } from './catalogue/emails.ts'
import { frameMessages } from './catalogue/frame.ts'
import { homeMessages } from './catalogue/home.ts'
import { jobMessages } from './catalogue/jobs.ts'
import { orderMessages } from './catalogue/orders.ts'
import { productMessages } from './catalogue/products.ts'
import { reportMessages } from './catalogue/reports.ts'
import { personalDataMessages } from './catalogue/personal-data.ts'
import { promotionMessages } from './catalogue/promotions.ts'
import { reviewMessages } from './catalogue/reviews.ts'
import { segmentMessages } from './catalogue/segments.ts'
import { paymentSettingsMessages } from './catalogue/payment-settings.ts'
import { settingsMessages } from './catalogue/settings.ts'
import { sessionMessages } from './catalogue/sessions.ts'
import { stockMessages } from './catalogue/stock.ts'

/** Every text of the pages, in each language: a text that lacks one doesn't compile. */
export const catalogue = {
  ...frameMessages,
  ...homeMessages,
  ...orderMessages,
  ...productMessages,
  ...categoryMessages,
  ...jobMessages,
  ...stockMessages,
  ...customerMessages,
  ...personalDataMessages,
  ...bookingMessages,
  ...bookingSetupMessages,
  ...reportMessages,
  ...promotionMessages,
  ...reviewMessages,
  ...emailMessages,
  ...campaignMessages,
  ...segmentMessages,
  ...paymentSettingsMessages,
  ...settingsMessages,
  ...sessionMessages,
}

export type MessageName = keyof typeof catalogue

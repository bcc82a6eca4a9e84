import { byMerchant, merchantsOfRun } from '../../by-merchant.ts'
import type { Database } from '../../database.ts'
import { inBatches } from '../../in-batches.ts'
import * as notification from '../../sql/generated/notification.ts'
import { announce } from '../outbox/index.ts'

/** Orders that one transaction reminds of. */
const reminderBatch = 50

/** Customers whose unpaid orders are about to be cancelled are reminded, once for each end of a window. Returns how many. */
export const remindOfPayments = async (database: Database): Promise<number> =>
  byMerchant(
    database,
    notification.merchantsWithPaymentReminders(database, { limit: merchantsOfRun }),
    (own, merchantId) =>
      inBatches(reminderBatch, () =>
        own.begin(async (sql) => {
          const due = await notification.claimPaymentReminders(sql, { merchantId, limit: reminderBatch })
          for (const { subjectKey, message } of due)
            await announce(sql, { merchantId, kind: 'ORDER_PAYMENT_REMINDER', subjectKey, message })
          return due.length
        }),
      ),
  )

import { refreshRollups } from '../analytics/index.ts'
import type { Database } from '../database.ts'

/** Milliseconds. What happens now is in a quarter of an hour that is over by then. */
const hour = 3_600_000

/** Runs the job that sums up for reports, as if the present quarter of an hour were over. Returns how many quarters it dealt with. */
export const sumUpEveryQuarter = (database: Database): Promise<number> =>
  refreshRollups(database, new Date(Date.now() + hour))

import type { CronTrigger } from '../metadata/types.ts'
import { type Checked, checkEach, cronTriggerObject } from './metadata-object.ts'

/** Names must be unique. Schedules were checked when the metadata was read. */
export function checkCronTriggers(triggers: readonly CronTrigger[] | undefined): Checked<CronTrigger> {
  const seen = new Set<string>()
  return checkEach(
    triggers,
    ({ name }) => {
      if (seen.has(name)) return `multiple definitions in metadata for cron trigger "${name}"`
      seen.add(name)
      return undefined
    },
    cronTriggerObject,
  )
}

import { type Logger, pino } from 'pino'
import { errorForLog } from './error-for-log.ts'
import type { LogLevel } from './configuration.ts'

/** Writes JSON lines to standard error. */
export const platformLogger = (level: LogLevel): Logger =>
  pino(
    { level, serializers: { err: errorForLog, error: errorForLog } },
    pino.destination({ dest: 2, sync: true }),
  )

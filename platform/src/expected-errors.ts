import { LocalPostgresError } from '@commerce-graph/local-postgres'
import { PlatformError } from './platform-error.ts'

/** Errors that an operator can mend; their messages say how. */
export const expectedErrors = [PlatformError, LocalPostgresError] as const

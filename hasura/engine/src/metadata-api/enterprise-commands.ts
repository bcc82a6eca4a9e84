import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { type Command, read } from './command.ts'

const refusedAs = (feature: string): Command =>
  read(z.unknown(), () => {
    throw new HasuraError('not-supported', `${feature} feature is enterprise edition only`)
  })

/** Commands of the Enterprise Edition, which Hasura's Community Edition answers with a refusal. */
export const enterpriseCommands: Readonly<Record<string, Command>> = {
  cleanup_event_trigger_logs: refusedAs('Event log cleanup'),
  pg_test_connection_template: refusedAs('Connection templating'),
}

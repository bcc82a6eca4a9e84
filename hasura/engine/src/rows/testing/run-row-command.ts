import { type Bookshop, admin } from '../../execute/testing/bookshop.ts'
import { HasuraError, errorBody } from '../../hasura-error.ts'
import type { Session } from '../../session/types.ts'
import { requestTrace } from '../../tracing/trace-context.ts'
import { type RowCommandKind, parseRowCommand } from '../row-command.ts'
import { createRowCommands } from '../row-commands.ts'

/** Runs a command on the bookshop or another project and returns its answer. */
export const runRowCommand = (
  { pool, snapshot }: Pick<Bookshop, 'pool' | 'snapshot'>,
  kind: RowCommandKind,
  args: object,
  session: Session = admin,
): Promise<unknown> =>
  createRowCommands(pool, { stringifyNumericTypes: false }).run(parseRowCommand(kind, args), {
    snapshot,
    session,
    trace: requestTrace(),
  })

/** What a command is refused with, as an endpoint answers it. */
export async function refusalOf(running: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await running }
  } catch (error) {
    if (error instanceof HasuraError) return errorBody(error)
    throw error
  }
}

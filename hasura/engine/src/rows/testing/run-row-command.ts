import { type Bookshop, admin } from '../../execute/testing/bookshop.ts'
import { HasuraError, errorBody } from '../../hasura-error.ts'
import type { Session } from '../../session/types.ts'
import { requestTrace } from '../../tracing/trace-context.ts'
import { type RowCommandKind, parseRowCommand } from '../row-command.ts'
import { createRowCommands } from '../row-commands.ts'

/** Runs a command on the bookshop or another project. Returns its answer. */
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

/** The status and body of a command's refusal. */
export async function refusalOf(running: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await running }
  } catch (error) {
    if (error instanceof HasuraError) return errorBody(error)
    throw error
  }
}

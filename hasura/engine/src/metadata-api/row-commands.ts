import { z } from 'zod'
import { type RowCommandKind, parseRowCommand, rowCommandKinds } from '../rows/row-command.ts'
import type { Command } from './command.ts'

const rowCommand = (kind: RowCommandKind): Command => ({
  schema: z.unknown(),
  changesMetadata: false,
  ...(kind === 'select' || kind === 'count' ? { reading: (args: unknown) => args } : {}),
  run: (args, { rows, session, trace, draft: { snapshot } }) =>
    rows.run(parseRowCommand(kind, args), { snapshot, session, trace }),
})

/** The commands of `/v2/query`, which only admin may send. */
export const rowCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  rowCommandKinds.map((kind) => [kind, rowCommand(kind)]),
)

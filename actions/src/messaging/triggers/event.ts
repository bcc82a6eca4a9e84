import { z } from 'zod'

const row = z.record(z.string(), z.unknown())

/** The parts of an event trigger's body that the handlers read. */
export const eventBody = z.object({
  id: z.guid(),
  trigger: z.object({ name: z.string() }),
  event: z.object({
    op: z.enum(['INSERT', 'UPDATE', 'DELETE', 'MANUAL']),
    data: z.object({ old: row.nullish(), new: row.nullish() }),
  }),
})

/** A change of a row, as it travels to the worker. */
export interface RowEvent {
  readonly id: string
  readonly trigger: string
  readonly old: Readonly<Record<string, unknown>> | null
  readonly new: Readonly<Record<string, unknown>> | null
  /** Headers of the trace that the change belongs to; absent where nothing is traced. */
  readonly trace?: Readonly<Record<string, string>>
}

export const rowEventOf = ({ id, trigger, event }: z.output<typeof eventBody>): RowEvent => ({
  id,
  trigger: trigger.name,
  old: event.data.old ?? null,
  new: event.data.new ?? null,
})

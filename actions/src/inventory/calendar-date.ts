import { z } from 'zod'
import { addFault } from '../action/input.ts'

/** `YYYY-MM-DD` of a day that exists. */
export const calendarDate = z.string().superRefine((value, context) => {
  if (!z.iso.date().safeParse(value).success)
    addFault(context, { kind: 'format', expected: 'ISO 8601 date YYYY-MM-DD' })
})

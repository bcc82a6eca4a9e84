import { useState } from 'react'
import { differing } from '../api/differing.ts'

type Send<Input> = (run: (changed: Partial<Input>) => Promise<object | null>) => Promise<object | null>

/**
 * Of a form that changes what was there when it was opened: sends the fields that are other ones now, and nothing if none is.
 *
 * @param input what the form has, as the API takes it
 */
export function useSendChanged<Input extends object>(input: Input): Send<Input> {
  const [first] = useState(input)
  const changed = differing(input, first)
  return (run) => (Object.keys(changed).length === 0 ? Promise.resolve(changed) : run(changed))
}

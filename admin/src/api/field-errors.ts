import type { RequestError } from '@commerce-graph/client'

export interface FormFaults {
  /** By the field's path within the input. */
  readonly fields: Readonly<Record<string, string>>
  /** What is at no field of the form. */
  readonly general: string | null
}

/** Of a form that nothing is wrong with. */
export const noFaults: FormFaults = { fields: {}, general: null }

/** By the fields that were asked for: a form takes another object as another refusal, so each error has one. */
const found = new WeakMap<RequestError, Map<string, FormFaults>>()

/** @param known the names of the form's fields: an error of another one is told above them */
export function faultsOf(error: RequestError | null, known: readonly string[]): FormFaults {
  if (error === null) return noFaults
  const ofError = found.get(error) ?? new Map<string, FormFaults>()
  const key = known.join(' ')
  const faults = ofError.get(key) ?? sortOut(error, known)
  found.set(error, ofError.set(key, faults))
  return faults
}

function sortOut(error: RequestError, known: readonly string[]): FormFaults {
  if (error.kind !== 'refused') return { fields: {}, general: reasonOf(error) }
  const at = (field: string | null) =>
    known.find(
      (name) =>
        field === name ||
        field === `input.${name}` ||
        field === `modifications.${name}` ||
        field?.startsWith(`${name}.`) === true,
    )
  const fields: Record<string, string> = {}
  const others: string[] = []
  for (const { field, message } of error.userErrors) {
    const name = at(field)
    if (name === undefined) others.push(message)
    else fields[name] ??= message
  }
  return { fields, general: others.length > 0 ? others.join(' ') : null }
}

/** The message, and the reason behind it if there is one. */
export function reasonOf({ message, details }: RequestError): string {
  const { reason } = details
  return typeof reason === 'string' && !message.includes(reason) ? `${message}. ${reason}` : message
}

/** The fields that have a text. */
export const filled = (fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''))

/** The comma-separated labels of a cell as a field of its own; nothing when there are none. */
export function labels(field: string, text: string): Readonly<Record<string, readonly string[]>> {
  const found = text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')
  return found.length === 0 ? {} : { [field]: found }
}

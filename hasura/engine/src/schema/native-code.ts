/** A piece of a native query: SQL, or the name of an argument. */
export type NativeCodePart =
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'argument'; readonly name: string }

/**
 * Splits a native query's SQL at its arguments, `{{name}}`. They are values, like a statement's parameters, so no text
 * of a client becomes SQL. A semicolon at the end is left out. Undefined when a `{{` is not closed.
 */
export function parseNativeCode(code: string): readonly NativeCodePart[] | undefined {
  const [first = '', ...pieces] = code.replace(/[\s;]+$/, '').split('{{')
  const parts: NativeCodePart[] = [{ kind: 'sql', text: first }]
  for (const piece of pieces) {
    const end = piece.indexOf('}}')
    if (end === -1) return undefined
    parts.push({ kind: 'argument', name: piece.slice(0, end) }, { kind: 'sql', text: piece.slice(end + 2) })
  }
  return parts.filter((part) => part.kind === 'argument' || part.text !== '')
}

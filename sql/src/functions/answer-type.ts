/** The type of a function's answer, as declared in the comment before it. */
export type AnswerType =
  /** A type of Postgres (`uuid`), a declared one (`ordering.stays`), a column (`payment.payment.status`), or null. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'literal'; readonly value: string }
  /** `placed {orderId: uuid}`; without an outcome, an object that has none. */
  | { readonly kind: 'object'; readonly outcome: string | null; readonly fields: readonly Field[] }
  | { readonly kind: 'list'; readonly of: AnswerType }
  | { readonly kind: 'union'; readonly members: readonly AnswerType[] }
  /** `rows {…}`: a set. */
  | { readonly kind: 'rows'; readonly fields: readonly Field[] }
  /** `ordering.place_order()`: whatever that function answers. */
  | { readonly kind: 'answers'; readonly of: string }

export interface Field {
  readonly name: string
  readonly optional: boolean
  readonly type: AnswerType
}

const tokenPattern = /'[^']*'|[\w.]+(?:\(\))?|[{}[\]()|:,?]/g

/** Parses what stands behind `answers:` or `type name =`. Throws a SyntaxError that quotes it. */
export function parseAnswerType(text: string): AnswerType {
  const tokens = text.match(tokenPattern) ?? []
  let at = 0
  const fail = (): never => {
    throw new SyntaxError(`Not a type, at ${tokens.slice(at, at + 5).join(' ') || 'its end'}: ${text}`)
  }
  const next = (): string => tokens[at++] ?? fail()
  const takes = (token: string): boolean => tokens[at] === token && ++at > 0
  const needs = (token: string): unknown => takes(token) || fail()

  const union = (): AnswerType => {
    takes('|')
    const members = [listed()]
    while (takes('|')) members.push(listed())
    const [only] = members
    return only !== undefined && members.length === 1 ? only : { kind: 'union', members }
  }
  const listed = (): AnswerType => {
    let type = single()
    while (takes('[')) {
      needs(']')
      type = { kind: 'list', of: type }
    }
    return type
  }
  const single = (): AnswerType => {
    if (takes('(')) {
      const inner = union()
      needs(')')
      return inner
    }
    if (takes('{')) return { kind: 'object', outcome: null, fields: fields() }
    const word = next()
    if (word.startsWith("'")) return { kind: 'literal', value: word.slice(1, -1) }
    if (!/^\w/.test(word)) return fail()
    if (word.endsWith('()')) return { kind: 'answers', of: word.slice(0, -2) }
    if (!takes('{')) return { kind: 'name', name: word }
    return word === 'rows'
      ? { kind: 'rows', fields: fields() }
      : { kind: 'object', outcome: word, fields: fields() }
  }
  const fields = (): readonly Field[] => {
    const found: Field[] = []
    while (!takes('}')) {
      const name = next()
      const optional = takes('?')
      needs(':')
      found.push({ name, optional, type: union() })
      if (tokens[at] !== '}') needs(',')
    }
    return found
  }

  const type = union()
  return at === tokens.length ? type : fail()
}

/** A segment of an endpoint's URL: a text, or a variable's name (`:id`). */
type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }

export type RestPath = readonly Segment[]

export const parseRestPath = (url: string): RestPath =>
  url
    .split('/')
    .map((text) =>
      text.startsWith(':') ? { kind: 'variable', name: text.slice(1) } : { kind: 'text', text },
    )

/** The problem of a URL, in Hasura's words; undefined if it has none. */
export function restPathProblem(url: string): string | undefined {
  const path = parseRestPath(url)
  const names = path.flatMap((segment) => (segment.kind === 'variable' ? [segment.name] : []))
  if (names.includes('') || path.some((segment) => segment.kind === 'text' && segment.text === ''))
    return `Empty segments or unnamed variables are not allowed: ${url}`
  if (new Set(names).size < names.length) return `Duplicate variables found in endpoint path: ${url}`
  return undefined
}

/** Whether some request would match both paths. */
export const pathsOverlap = (one: RestPath, other: RestPath): boolean =>
  one.length === other.length &&
  one.every((segment, index) => {
    const opposite = other[index]
    if (segment.kind === 'variable' || opposite?.kind !== 'text') return true
    return segment.text === opposite.text
  })

/** The values of a path's variables; undefined if the request's segments don't match it. */
export function matchRestPath(
  path: RestPath,
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (path.length !== given.length) return undefined
  const values: Record<string, string> = {}
  for (const [index, segment] of path.entries()) {
    const value = given[index] ?? ''
    if (segment.kind === 'variable') values[segment.name] = value
    else if (segment.text !== value) return undefined
  }
  return values
}

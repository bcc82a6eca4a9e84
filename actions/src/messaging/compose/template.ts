import Mustache from 'mustache'
import type { Variables } from './variables.ts'

/** A message's words, with variables in Mustache: no code, no partials, and nothing that isn't escaped. */
export interface Template {
  readonly subject: string
  readonly html: string
  readonly text: string
}

const plain = (value: unknown): string => String(value)

/** Fills a template in. Values are escaped in its HTML, and the subject is one line whatever they are. */
export function render({ subject, html, text }: Template, variables: Variables): Template {
  // A writer keeps every template that it has seen, without a bound: so one for each message.
  const writer = new Mustache.Writer()
  return {
    subject: writer.render(subject, variables, undefined, { escape: plain }).replaceAll(/\s+/g, ' ').trim(),
    html: writer.render(html, variables),
    text: writer.render(text, variables, undefined, { escape: plain }),
  }
}

/** Sections inside of each other at most. A list in a list of n entries is n² of them. */
const maxNesting = 3

type Token = readonly [type: string, value: string, start: number, end: number, inner?: readonly Token[]]

/**
 * The fault of one part of a template, in words for its author; null if it can be rendered.
 *
 * @param sample all variables, none of them empty
 */
export function templateFault(source: string, sample: Variables): string | null {
  let tokens: readonly Token[]
  try {
    tokens = new Mustache.Writer().parse(source) as readonly Token[]
  } catch (error) {
    return error instanceof Error ? error.message : 'The template can not be read'
  }
  return faultIn(tokens, [sample], [])
}

function faultIn(
  tokens: readonly Token[],
  scopes: readonly Variables[],
  open: readonly string[],
): string | null {
  for (const token of tokens) {
    const fault = faultOf(token, scopes, open)
    if (fault !== null) return fault
  }
  return null
}

function faultOf([type, name, , , inner = []]: Token, scopes: readonly Variables[], open: readonly string[]) {
  switch (type) {
    case 'text':
      return null
    case 'name': {
      const value = find(name, scopes)
      if (value === undefined) return unknown(name, scopes)
      return typeof value === 'string'
        ? null
        : `{{${name}}} is no text; use a section: {{#${name}}}…{{/${name}}}`
    }
    case '#':
    case '^': {
      const value = find(name, scopes)
      if (value === undefined) return unknown(name, scopes)
      if (open.includes(name)) return `The section ${name} stands inside of itself`
      if (open.length >= maxNesting) return `Sections stand inside of each other ${maxNesting} deep at most`
      const scope = Array.isArray(value) ? (value[0] as Variables) : value
      const inside = type === '#' && scope !== null && typeof scope === 'object' ? [scope as Variables] : []
      return faultIn(inner, [...inside, ...scopes], [...open, name])
    }
    case '&':
      return `{{{${name}}}} would not be escaped; write {{${name}}}`
    default:
      return `{{${type}${name}}} can not be used here`
  }
}

function unknown(name: string, scopes: readonly Variables[]): string {
  const names = [...new Set(scopes.flatMap((scope) => Object.keys(scope)))]
  return `There is no variable ${name}. There are: ${names.join(', ')}`
}

/** As Mustache looks a name up: its first part in the innermost scope that has it, and the rest from there. */
function find(name: string, scopes: readonly Variables[]): Variables[string] | undefined {
  const [first = '', ...rest] = name.split('.')
  let value: Variables[string] | undefined = scopes.find((scope) => Object.hasOwn(scope, first))?.[first]
  for (const part of rest) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
    const object = value as Variables
    value = Object.hasOwn(object, part) ? object[part] : undefined
  }
  return value
}

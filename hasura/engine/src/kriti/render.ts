import { LRUCache } from 'lru-cache'
import type { Json } from '../metadata/parse.ts'
import { evaluate } from './evaluate.ts'
import { type KritiFunction, basicFunctions } from './functions.ts'
import { KritiError, type KritiErrorCode } from './kriti-error.ts'
import { parseTemplate } from './parse-template.ts'
import type { Template } from './syntax.ts'

export type Rendered =
  | { readonly kind: 'rendered'; readonly value: Json }
  | {
      readonly kind: 'failed'
      readonly code: KritiErrorCode
      readonly message: string
      readonly source: string
      readonly at: number
    }

/** The most steps: enough for a range over 100,000 rows, some milliseconds of work. */
const maxSteps = 2_000_000

const parsed = new LRUCache<string, Template>({
  maxSize: 4_000_000,
  sizeCalculation: (_, source) => source.length + 1,
})

function parseCached(source: string): Template {
  const known = parsed.get(source)
  if (known !== undefined) return known
  const template = parseTemplate(source)
  parsed.set(source, template)
  return template
}

/**
 * Evaluates a Kriti template. `variables` have the template's names (`$body`); `functions` are added to the basic ones.
 * Failures are results.
 */
export function render(
  source: string,
  variables: Readonly<Record<string, Json>>,
  functions: Readonly<Record<string, KritiFunction>> = {},
): Rendered {
  try {
    const value = evaluate(parseCached(source), {
      variables: new Map(Object.entries(variables)),
      functions: new Map([...basicFunctions, ...Object.entries(functions)]),
      budget: { steps: maxSteps },
    })
    return { kind: 'rendered', value }
  } catch (error) {
    return failed(error, source)
  }
}

/** The fault of a template's text; undefined if there is none. */
export function templateProblem(source: string): string | undefined {
  try {
    parseCached(source)
    return undefined
  } catch (error) {
    return failed(error, source).message
  }
}

function failed(error: unknown, source: string): Extract<Rendered, { kind: 'failed' }> {
  if (!(error instanceof KritiError)) throw error
  return { kind: 'failed', code: error.code, message: error.message, source, at: error.at }
}

import type { Json } from '../metadata/parse.ts'
import type { Rendered } from '../kriti/render.ts'

/** The errors of a transformation, in Hasura's form. */
export class TransformError extends Error {
  readonly errors: Json

  constructor(message: string, errors: Json) {
    super(message)
    this.errors = errors
  }
}

/** The value of a rendered template. Throws TransformError. */
export function renderedValue(rendered: Rendered): Json {
  if (rendered.kind === 'rendered') return rendered.value
  const { code, message, source, at } = rendered
  const before = source.slice(0, at).split('\n')
  const position = { line: before.length - 1, column: before.at(-1)?.length ?? 0 }
  throw new TransformError(`${code}: ${message}`, [
    { error_code: code, message, source_position: { start: position, end: position } },
  ])
}

export const transformError = (message: string, value?: Json): TransformError =>
  new TransformError(message, [
    { error_code: 'TransformationError', message, ...(value === undefined ? {} : { value }) },
  ])

/** The text of a template inside a text. Numbers and booleans are converted. Throws TransformError. */
export function scalarText(value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw transformError('Template must produce a String, Number, or Boolean value', value)
}

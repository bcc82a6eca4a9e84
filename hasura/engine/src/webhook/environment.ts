import type { WebhookHeader } from '../metadata/types.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Metadata names an environment variable that is not set. */
export class UnsetVariable extends Error {
  readonly variable: string

  constructor(variable: string) {
    super(`environment variable '${variable}' not set`)
    this.variable = variable
  }
}

export function valueFromEnvironment(name: string, environment: Environment): string {
  const value = environment[name]
  if (value === undefined) throw new UnsetVariable(name)
  return value
}

/** Replaces `{{NAME}}` with the environment variable's value. Throws UnsetVariable. */
export const resolveTemplate = (template: string, environment: Environment): string =>
  template.replaceAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g, (_, name: string) =>
    valueFromEnvironment(name, environment),
  )

/** A configured header's value. Throws UnsetVariable. */
export const headerValue = (header: WebhookHeader, environment: Environment): string =>
  'value' in header
    ? resolveTemplate(header.value, environment)
    : valueFromEnvironment(header.value_from_env, environment)

import { parseArgs } from 'node:util'
import { z } from 'zod'

/**
 * Reads a benchmark's options, each given as `--name value`.
 *
 * @param shape the schema of each option's value, by the option's name
 * @throws Error for an unknown option or an invalid value
 */
export function readOptions<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.output<z.ZodObject<Shape>> {
  const options = Object.fromEntries(Object.keys(shape).map((name) => [name, { type: 'string' as const }]))
  return z.object(shape).parse(parseArgs({ options }).values)
}

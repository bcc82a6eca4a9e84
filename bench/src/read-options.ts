import { parseArgs } from 'node:util'
import { z } from 'zod'

/**
 * A benchmark's options, each given as `--name value`.
 *
 * @param shape by the option's name, what its text is read as
 * @throws for an option that isn't there, or a value that can't be read
 */
export function readOptions<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.output<z.ZodObject<Shape>> {
  const options = Object.fromEntries(Object.keys(shape).map((name) => [name, { type: 'string' as const }]))
  return z.object(shape).parse(parseArgs({ options }).values)
}

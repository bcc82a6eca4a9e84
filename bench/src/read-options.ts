import { readArguments } from '@commerce-graph/terminal'
import { z } from 'zod'

/**
 * Reads a benchmark's options, each given as `--name value`. --help prints the usage; a wrong call ends with 2.
 *
 * @param usage how the benchmark is called, in its first line, and what it measures
 * @param shape the schema of each option's value, by the option's name
 */
export function readOptions<Shape extends z.core.$ZodLooseShape>(
  usage: string,
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const options = Object.fromEntries(Object.keys(shape).map((name) => [name, { type: 'string' as const }]))
  return readArguments({ usage, options, values: z.object(shape) })
}

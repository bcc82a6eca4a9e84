import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

const editSchema = z.strictObject({
  /** Relative to the repository's root. */
  file: z.string(),
  /** Code that occurs in the file exactly once. Its layout doesn't matter: only the order of words and signs counts. */
  find: z.string().min(1),
  replace: z.string(),
})

const faultSchema = z.strictObject({
  /** The effect that a user would see, in the words of a bug report. */
  name: z.string(),
  edits: z.array(editSchema).min(1),
  /** The test files that must notice it, the likeliest first. */
  tests: z.array(z.string()).min(1),
  /** A pattern: only the tests of these files whose names match it are run. */
  only: z.string().optional(),
  /** The seed that drew the place. A fault without one was written by hand. */
  drawn: z.int().optional(),
  /** Why no test can notice: the behaviour of the program stays the same. */
  equivalent: z.string().optional(),
})

export type Edit = z.infer<typeof editSchema>
export interface Fault extends z.infer<typeof faultSchema> {
  /** The name of the file that lists it, without its extension. */
  readonly area: string
}

/** All faults, in the order of the files' names. Throws if a file has the wrong form. */
export const readFaults = (): readonly Fault[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => {
      const listed = parse(readFileSync(path.join(import.meta.dirname, name), 'utf8')) as unknown
      return z
        .array(faultSchema)
        .parse(listed)
        .map((fault) => ({ ...fault, area: path.basename(name, '.yaml') }))
    })

/** The text with the edit applied. Throws if the text doesn't have exactly one place for it. */
export function applyEdit(text: string, { file, find, replace }: Edit): string {
  const found = [...text.matchAll(patternOf(find))]
  const [place] = found
  if (place === undefined || found.length > 1)
    throw new Error(`${file} has ${found.length} places for: ${find}`)
  return text.slice(0, place.index) + replace + text.slice(place.index + place[0].length)
}

/** A pattern of these words and single signs in this order, in any layout. */
function patternOf(find: string): RegExp {
  const parts = find.match(/\w+|[^\w\s]/g) ?? []
  const escaped = parts.map((part) => part.replace(/\W/, '\\$&'))
  const pattern = escaped.reduce((before, part) => {
    const twoWords = /\w$/.test(before) && /^\w/.test(part)
    return `${before}${twoWords ? '\\s+' : '\\s*'}${part}`
  })
  return new RegExp(pattern, 'g')
}

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

const editSchema = z.strictObject({
  /** From the repository's root. */
  file: z.string(),
  /** Code that the file has exactly once, in whatever layout: only the words and signs and their order count. */
  find: z.string().min(1),
  replace: z.string(),
})

const faultSchema = z.strictObject({
  /** What would be wrong then, in the words of a bug report. */
  name: z.string(),
  edits: z.array(editSchema).min(1),
  /** The test files that are to notice, the likeliest first. */
  tests: z.array(z.string()).min(1),
  /** Of these files, only the tests whose names match this pattern. */
  only: z.string().optional(),
  /** The seed with which the place was drawn; a fault without one was thought of. */
  drawn: z.int().optional(),
  /** Why no test can notice: what the program does stays the same. */
  equivalent: z.string().optional(),
})

export type Edit = z.infer<typeof editSchema>
export interface Fault extends z.infer<typeof faultSchema> {
  /** The name of the file that lists it, without its ending. */
  readonly area: string
}

/** All faults, in the order of the files' names. Throws for a file that doesn't have the form. */
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

/** The text with the edit done. Throws where the text doesn't have exactly one place for it. */
export function applyEdit(text: string, { file, find, replace }: Edit): string {
  const found = [...text.matchAll(patternOf(find))]
  const [place] = found
  if (place === undefined || found.length > 1)
    throw new Error(`${file} has ${found.length} places for: ${find}`)
  return text.slice(0, place.index) + replace + text.slice(place.index + place[0].length)
}

/** Words and single signs in this order, in whatever layout. */
function patternOf(find: string): RegExp {
  const parts = find.match(/\w+|[^\w\s]/g) ?? []
  const escaped = parts.map((part) => part.replace(/\W/, '\\$&'))
  const pattern = escaped.reduce((before, part) => {
    const twoWords = /\w$/.test(before) && /^\w/.test(part)
    return `${before}${twoWords ? '\\s+' : '\\s*'}${part}`
  })
  return new RegExp(pattern, 'g')
}

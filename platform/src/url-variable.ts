import { z } from 'zod'

/** A variable that is a URL with one of the protocols. */
export const url = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols, error: `must be a URL like ${example}` })

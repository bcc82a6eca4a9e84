import { z } from 'zod'

/** A variable that is a URL with one of the protocols. */
export const url = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols, error: `must be a URL like ${example}` })

/** A URL with the separate password, whatever its characters; a password in the URL itself takes precedence. */
export function withPassword(url: string | undefined, password: string | undefined): string | undefined {
  if (url === undefined || password === undefined) return url
  const complete = new URL(url)
  if (complete.password === '') complete.password = encodeURIComponent(password)
  return complete.href
}

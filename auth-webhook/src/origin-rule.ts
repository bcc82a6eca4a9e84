import type { Mode } from './principal.ts'

/** The maximum length of a header in a message. */
const shownCharacters = 200

/**
 * Why a page of this origin may not use a publishable key; null if it may.
 *
 * @param origins the key's origins, as browsers write them: `https://shop.example`
 * @param origin the header `Origin`; browsers send it with each request to another origin, and pages can't change it
 * @param deployment a live one accepts pages over https only, and needs at least one origin for a key
 */
export function originFault(
  origins: ReadonlySet<string>,
  origin: string | undefined,
  deployment: Mode,
): string | null {
  if (deployment === 'live' && origins.size === 0)
    return 'The publishable key is bound to no origin, so it works in a test deployment only'
  if (origin === undefined)
    return deployment === 'live'
      ? 'A publishable key is for browsers, which send the header Origin; this request has none'
      : null
  const shown = origin.slice(0, shownCharacters)
  if (origins.size === 0)
    return isLoopback(origin)
      ? null
      : `The origin ${shown} is not allowed: a publishable key without origins works for pages of this machine, like http://localhost:3000`
  if (!origins.has(origin))
    return `The origin ${shown} is not allowed: the publishable key is bound to other origins`
  return deployment === 'live' && !origin.startsWith('https://')
    ? `The origin ${shown} is not allowed: a live deployment serves pages over https`
    : null
}

function isLoopback(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { hostname } = new URL(origin)
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}

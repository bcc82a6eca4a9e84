import type { IncomingHttpHeaders } from 'node:http'

/** The header that the pages of `/admin` send along. No form can send it, and no other site's script without being asked first. */
const adminHeader = 'x-commerce-admin'

/**
 * Why a request with the session's cookie isn't taken: it doesn't come from a page of this address. Null: it does. Browsers send
 * `Origin` with every POST, and a page can't change it. `Sec-Fetch-Site` is missing in old browsers only.
 */
export function foreignFault(headers: IncomingHttpHeaders): { field: string; reason: string } | null {
  const { origin, host } = headers
  const reason = 'Only the pages of /admin of this address may ask'
  if (origin === undefined || host === undefined || hostOf(origin) !== host.toLowerCase())
    return { field: 'Origin', reason }
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return { field: 'Sec-Fetch-Site', reason }
  return headers[adminHeader] === '1' ? null : { field: 'X-Commerce-Admin', reason }
}

/** Proxies change the scheme, and pass the host on. */
const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)

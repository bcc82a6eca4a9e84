/** A placeholder for an absent host, which means a local socket: a URL with a user must have a host. */
const noHost = 'socket.invalid'

/**
 * Splits the password from a database's URL, from any place in the URL. Every user of the machine can read a command
 * line, so the password must not be in it.
 */
export function withoutPassword(databaseUrl: string): {
  readonly url: string
  readonly password: string | undefined
} {
  const url = URL.parse(databaseUrl) ?? URL.parse(databaseUrl.replace('@/', `@${noHost}/`))
  if (url === null) return { url: databaseUrl, password: undefined }
  const password = url.searchParams.get('password') ?? decodeURIComponent(url.password)
  url.password = ''
  if (url.searchParams.has('password')) {
    url.searchParams.delete('password')
    // URLSearchParams writes a space as a plus, which Postgres reads as a plus.
    url.search = url.search.replaceAll('+', '%20')
  }
  return { url: url.href.replace(noHost, ''), password: password === '' ? undefined : password }
}

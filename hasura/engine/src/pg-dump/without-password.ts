/** Stands for no host, by which Postgres means a socket of the machine; a URL with a user has to have one. */
const noHost = 'socket.invalid'

/**
 * The URL of a database without its password, and the password, wherever it stands in the URL: what is in a command line can be
 * read by everybody on the machine.
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
    // It writes a space as a plus, which is one to Postgres.
    url.search = url.search.replaceAll('+', '%20')
  }
  return { url: url.href.replace(noHost, ''), password: password === '' ? undefined : password }
}

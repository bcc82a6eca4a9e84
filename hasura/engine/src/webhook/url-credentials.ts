interface SplitUrl {
  /** Without a user and a password: `fetch` refuses a URL with these, and quotes them in its error. */
  readonly url: string
  /** The header for them, if the URL had any. */
  readonly authorization: string | undefined
}

/** Takes the user and the password out of a URL. Throws TypeError, without them in its text, if it is no URL. */
export function splitCredentials(text: string): SplitUrl {
  if (!URL.canParse(text)) throw new TypeError(`Invalid URL: ${withoutCredentials(text)}`)
  const url = new URL(text)
  const { username, password } = url
  if (username === '' && password === '') return { url: text, authorization: undefined }
  url.username = ''
  url.password = ''
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url: url.href, authorization: `Basic ${pair}` }
}

/** A text that may be a URL, as logs and errors may show it: without a user and a password. */
export const withoutCredentials = (text: string): string => text.replace(/\/\/[^/?#]*@/, '//')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

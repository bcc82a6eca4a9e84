const maxLength = 2048

/** Whether it is an http or https URL without a user name or password. */
export function isHttpUrl(text: string): boolean {
  if (text.length > maxLength || /\s/.test(text)) return false
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !namesUser(url)
}

/** The password would be shown with the URL, and `https://shop.example@elsewhere.example` leads elsewhere. */
const namesUser = ({ username, password }: URL): boolean => username !== '' || password !== ''

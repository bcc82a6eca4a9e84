/** Characters: a host name has 253 at most. */
const maxLength = 260

/**
 * The origin of pages as browsers send it in the header `Origin`: lower case, without the scheme's own port.
 *
 * @param text `https://Shop.example/` becomes `https://shop.example`
 * @returns null for what is no origin, such as an address with a path
 */
export function originOf(text: string): string | null {
  const trimmed = text.trim()
  if (!/^https?:\/\/[^/?#@\s]+\/?$/i.test(trimmed) || !URL.canParse(trimmed)) return null
  const { origin } = new URL(trimmed)
  return origin.length <= maxLength ? origin : null
}

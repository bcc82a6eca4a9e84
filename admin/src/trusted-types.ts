interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(html: string): string | null }): unknown
}

/**
 * The page's policy takes no text for HTML. React Aria empties an element with `innerHTML = ''`, which is let through, and nothing else.
 * Imported before everything that might.
 */
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createHTML: (html) => (html === '' ? '' : null) })

/** What example files and tutorials have where a secret belongs. */
const PLACEHOLDERS =
  /change[-_ ]?(me|this)|replace[-_ ]?(me|this)|place[-_ ]?holder|your[-_ ]?(own|secret|password|key)|example|insert[-_ ]/i

/** Passwords that come with images and manuals. */
const WELL_KNOWN =
  /^(postgres|password|secret|admin|root|redis|changeit|test|commerce|hasura|default)*[\d!]*$/i

const FEWEST_CHARACTERS = 4

/** Whether a secret is one that everybody knows: left as an example had it, a well-known word, or one character again and again. */
export function isPlaceholder(secret: string): boolean {
  return PLACEHOLDERS.test(secret) || WELL_KNOWN.test(secret) || new Set(secret).size < FEWEST_CHARACTERS
}

/** What example files and tutorials have where a secret belongs. */
const placeholders =
  /change[-_ ]?(me|this)|replace[-_ ]?(me|this)|place[-_ ]?holder|your[-_ ]?(own|secret|password|key)|example|insert[-_ ]/i

/** Passwords that come with images and manuals. */
const wellKnown =
  /^(postgres|password|secret|admin|root|redis|changeit|test|commerce|hasura|default)*[\d!]*$/i

const fewestCharacters = 4

/** Whether a secret is one that everybody knows: left as an example had it, a well-known word, or one character again and again. */
export const isPlaceholder = (secret: string): boolean =>
  placeholders.test(secret) || wellKnown.test(secret) || new Set(secret).size < fewestCharacters

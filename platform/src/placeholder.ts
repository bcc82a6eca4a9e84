/** Placeholders for secrets in example files and tutorials. */
const placeholders =
  /change[-_ ]?(me|this)|replace[-_ ]?(me|this)|place[-_ ]?holder|your[-_ ]?(own|secret|password|key)|example|insert[-_ ]/i

/** Default passwords of images and manuals. */
const wellKnown =
  /^(postgres|password|secret|admin|root|redis|changeit|test|commerce|hasura|default)*[\d!]*$/i

const fewestCharacters = 4

/** Whether a secret is well known: an example's placeholder, a default password, or one repeated character. */
export const isPlaceholder = (secret: string): boolean =>
  placeholders.test(secret) || wellKnown.test(secret) || new Set(secret).size < fewestCharacters

/** Characters that can't be seen, or that only change how others are shown. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\p{Default_Ignorable_Code_Point}]/u

/** Scripts of which some letters look like Latin ones. */
const lookalike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}\p{Script=Coptic}\p{Script=Lisu}]/u

/** Those of their small letters that do. */
const latinTwins = new Set('аԁеһіјӏоорԛѕсуԝхѵαοριυνкьгոսցօո')

/**
 * Whether an address looks like another person's: it has characters that can't be seen, letters in a form of their own
 * (full-width, mathematical), Latin letters beside those of a script that resembles them, or nothing but letters that could be
 * Latin. An address in a script of its own is fine.
 */
export function hasDeceptiveLetter(address: string): boolean {
  if (unseen.test(address) || address.normalize('NFKC') !== address.normalize('NFC')) return true
  if (!lookalike.test(address)) return false
  const local = address.slice(0, Math.max(0, address.lastIndexOf('@'))).toLowerCase()
  return (
    /\p{Script=Latin}/u.test(local) ||
    Array.from(local).every((letter) => !/\p{L}/u.test(letter) || latinTwins.has(letter))
  )
}

/**
 * The parts before and after the @, without the rare forms (quotes, comments, address literals) that shops don't
 * meet.
 */
const form = /^[^\s@"(),:;<>[\\\]]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i
const maxLength = 254

/** Whether it has the form of an e-mail address, whatever its letters look like (`hasDeceptiveLetter`). */
export const isEmailAddress = (text: string): boolean => text.length <= maxLength && form.test(text)

import { dictionary } from '@zxcvbn-ts/language-common'

/** The 49,000 passwords that turn up most in leaks, in small letters. */
const leaked: ReadonlySet<string> = new Set(dictionary['passwords-common'])

/** Rows of keys and characters in order, forwards and backwards. */
const sequences = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
].flatMap((row) => [row, Array.from(row).reverse().join('')])

/**
 * Whether a password is one that is guessed first (NIST SP 800-63B asks for this): leaked often, with or without a few signs at
 * its end, one sequence of keys, or a short text again and again. Whether letters are large or small doesn't matter.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  const unit = repeatedUnit(plain)
  return [plain, plain.replace(/[\p{P}\p{S}]+$/u, ''), unit].some(
    (candidate) =>
      leaked.has(candidate) ||
      sequences.some((sequence) => sequence.includes(candidate)) ||
      (candidate === unit && candidate !== plain && candidate.length <= longestUnit),
  )
}

/** A text of so few characters is as quickly guessed ten times over as once. */
const longestUnit = 4

/** The shortest text that makes up the whole by repetition; the whole when there is none. */
function repeatedUnit(text: string): string {
  const length = (text + text).indexOf(text, 1)
  return text.slice(0, length)
}

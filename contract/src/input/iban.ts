/** An IBAN in one piece, or in groups of four as it is printed. Capital letters that follow it may be matched, too. */
const ibanForm =
  /(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?![A-Za-z0-9])/g

/**
 * The text without the numbers of bank accounts: IBANs (ISO 13616) whose check digits are right. A dot stands in the
 * place of each.
 */
export function withoutIbans(text: string): string {
  let rest = text
  for (const [candidate] of text.matchAll(ibanForm)) {
    const iban = beginnings(candidate).find(isIban)
    if (iban !== undefined) rest = rest.replaceAll(iban, ' . ')
  }
  return rest
}

/** The groups of a candidate, the longest row of them first: a word may follow an IBAN. */
function beginnings(candidate: string): readonly string[] {
  const groups = candidate.split(' ')
  return groups.map((_, dropped) => groups.slice(0, groups.length - dropped).join(' '))
}

/** ISO 7064's MOD 97-10: the letters count from 10 on, and the first four characters come last. */
function isIban(written: string): boolean {
  const compact = written.replaceAll(' ', '')
  if (compact.length < 15 || compact.length > 34) return false
  const digits = Array.from(compact.slice(4) + compact.slice(0, 4), (letter) => Number.parseInt(letter, 36))
  return BigInt(digits.join('')) % 97n === 1n
}

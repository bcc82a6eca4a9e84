/**
 * A SKU's threshold as it was, for the API to set again: null for the shop's, which it then goes on following. The API says which number
 * holds, and not whose it is: the shop's number is taken for the shop's.
 *
 * @param shops undefined: the person may not see it
 */
export const thresholdBefore = (held: number, shops: number | undefined): number | null =>
  held === shops ? null : held

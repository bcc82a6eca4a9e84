export { lineError } from './line-refusal.ts'
export { type LineTerms, merchantsFieldErrors } from './line-terms.ts'

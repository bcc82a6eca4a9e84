export { lineError } from './line-refusal.ts'
export type { LineTerms } from './line-terms.ts'

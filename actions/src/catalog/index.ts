export { lineError } from './line-refusal.ts'

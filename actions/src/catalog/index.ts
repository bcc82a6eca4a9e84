export { lineError, type LineRefusal, type LineRefusalReason } from './line-refusal.ts'

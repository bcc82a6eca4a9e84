export { checkShop } from './check/check-shop.ts'
export type { Check } from './check/compare.ts'
export { generateYear, type DemoRun, type YearOptions, type YearSummary } from './generate-year.ts'
export { DemoError } from './demo-error.ts'

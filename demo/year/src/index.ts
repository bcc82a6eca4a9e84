export { type Check, checkShop } from './check/check-shop.ts'
export { generateYear, type DemoRun, type YearOptions, type YearSummary } from './generate-year.ts'
export { DemoError } from './demo-error.ts'
export { createProgress, type Progress, silentProgress } from './progress.ts'

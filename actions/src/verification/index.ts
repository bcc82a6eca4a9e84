export { type Disagreement, type Verdict, verifyRows, type VerifyOptions } from './verify-rows.ts'
export { verifyPayments } from './verify-payments.ts'

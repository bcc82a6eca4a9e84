export { startWorkers, type Workers, type WorkersOptions } from './jobs/index.ts'
export { createStripeProcessor, type PaymentProcessor, type StripeOptions } from './payments/index.ts'
export { startSandbox, type Sandbox, type SandboxOptions } from './payments/sandbox/index.ts'
export { type Actions, type ActionsOptions, startActions } from './start-actions.ts'

/** Whether `npm run test:long` runs the tests: everything, not only what `npm test` takes of what is many. */
export const longTests = process.env['TEST_LONG'] !== undefined

/** The name of a test that only `npm run test:long` runs, for the list of skipped tests. */
export const longTest = (name: string): string =>
  longTests ? name : `${name} (skipped: npm run test:long runs it)`

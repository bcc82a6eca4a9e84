/** Whether `npm run test:long` runs the tests: everything, not only what `npm test` takes of what is many. */
export const longTests = process.env['TEST_LONG'] !== undefined

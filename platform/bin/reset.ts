import { parseArgs } from 'node:util'
import { readConfiguration } from '../src/configuration.ts'
import { PlatformError } from '../src/platform-error.ts'
import { reset } from '../src/reset.ts'

try {
  const { values } = parseArgs({ options: { yes: { type: 'boolean', default: false } } })
  const path = await reset(readConfiguration(process.env), { confirmed: values.yes })
  console.log(`${path} is as new. npm start begins with an empty database and the demo shop.`)
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error
  if (!(error instanceof PlatformError || isUsage)) throw error
  console.error(error.message)
  process.exit(1)
}

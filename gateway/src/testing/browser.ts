import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))

/** Whether the machine has a browser. The driver is a library only. */
export const hasBrowser = executablePath !== undefined

/** Why a suite is skipped without a browser. */
export const browserIsMissing = 'there is no Chromium here, or CHROMIUM does not say where'

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })

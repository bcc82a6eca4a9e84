// The driver as it should be: loaded from where npm has put it, with its faults corrected on the way. So it needs no script at
// the installation, and an update of the driver that moves a fault is noticed at the start.
import { findPackageJSON, registerHooks } from 'node:module'
import { basename } from 'node:path'
import { corrections } from './corrections.mjs'

/** Marks the URLs of the corrected driver's modules: whatever else loads the driver gets it as it is, beside this one. */
const mark = '?corrected'

const home = new URL('src/', `file://${findPackageJSON('postgres', import.meta.url)}`)

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const isOfDriver = context.parentURL?.endsWith(mark) === true && resolved.url.startsWith(home.href)
    return isOfDriver ? { ...resolved, url: `${resolved.url}${mark}` } : resolved
  },
  load(url, context, nextLoad) {
    if (!url.startsWith(home.href) || !url.endsWith(mark)) return nextLoad(url, context)
    const loaded = nextLoad(url, context)
    const file = basename(new URL(url).pathname)
    const source =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source ?? '').toString()
    return { ...loaded, source: corrected(file, source) }
  },
})

/** @param {string} file @param {string} source */
function corrected(file, source) {
  return (corrections[file] ?? []).reduce((text, { wrong, right }) => {
    const parts = text.split(wrong)
    if (parts.length !== 2)
      throw new Error(
        `postgres/src/${file} is not that of the version which postgres-driver corrects: ${JSON.stringify(wrong.trim())} is not in it once.`,
      )
    return parts.join(right)
  }, source)
}

const { default: postgres } = await import(new URL(`index.js${mark}`, home).href)
export default postgres

/**
 * Statements of a pooled connection wait for each other. The driver asks for the types of a statement's parameters, and sends the rest
 * after the answer. If such a question follows another statement in the same write, the pooler has given the server to the next client
 * by the time the server answers it, and the statement waits for ever.
 *
 * @param {Record<string, unknown>} settings
 * @param {{ readonly namedStatements: boolean } | undefined} pooler
 */
export const sessionOptions = (settings, pooler) =>
  pooler === undefined
    ? { connection: settings }
    : {
        connection: { application_name: settings['application_name'] },
        prepare: pooler.namedStatements,
        max_pipeline: 0,
      }

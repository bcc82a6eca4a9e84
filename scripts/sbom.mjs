#!/usr/bin/env node
// Prints the software bill of materials of what is installed here, CycloneDX 1.5 in JSON: `npm run -s sbom > sbom.cdx.json`. It reads
// the list that npm keeps in node_modules. `npm sbom` leaves out packages of workspaces that another workspace needs.
import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const { name, version } = read('package.json')
const { packages } = read('node_modules/.package-lock.json')

const components = Object.entries(packages)
  .filter(([path, { link, version }]) => path.includes('node_modules/') && !link && version !== undefined)
  .map(([path, found]) => componentOf(path, found))
  .sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1))

function componentOf(path, { name, version, integrity, license }) {
  const full = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const parts = full.split('/')
  const short = parts.pop() ?? full
  const purl = `pkg:npm/${[...parts.map(encodeURIComponent), short].join('/')}@${version}`
  const [algorithm, digest] = (integrity ?? '').split(' ')[0].split(/-(.*)/s)
  return {
    type: 'library',
    'bom-ref': `${purl}#${path}`,
    ...(parts.length > 0 && { group: parts.join('/') }),
    name: short,
    version,
    purl,
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  }
}

const document = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', 'bom-ref': name, name, version } },
  components,
}
process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`)

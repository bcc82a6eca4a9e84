import { readFileSync } from 'node:fs'
import { compose, type Contract } from './compose.ts'
import type { Subgraph } from './federation.ts'

/** The domains of the contract, each with a file of its own in `domains/`. */
export const domains = [
  'catalog',
  'ordering',
  'cart',
  'inventory',
  'identity',
  'crm',
  'booking',
  'payment',
  'promotion',
  'analytics',
  'email',
  'notification',
  'search',
  'files',
  'merchant',
  'audit',
  'bulk',
  'events',
  'metadata',
  'operator',
] as const

export type Domain = (typeof domains)[number]

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The SDL that every subgraph starts with. */
export const coreSdl = (): string => read('../../core.graphql')

/** The SDL of the result types that the actions return to Hasura. */
export const resultsSdl = (): string => read('../../results.graphql')

/** The SDL of a domain as it stands in its file. */
export const domainSdl = (domain: Domain): string => read(`../../domains/${domain}.graphql`)

let loaded: Contract | undefined

/** The whole contract, from its files; one for the process. Throws when they don't fit together, which is a bug of ours. */
export const loadContract = (): Contract => (loaded ??= composeFiles())

function composeFiles(): Contract {
  const subgraphs: Subgraph[] = domains.map((domain) => ({ name: domain, sdl: domainSdl(domain) }))
  return compose(coreSdl(), subgraphs, resultsSdl())
}

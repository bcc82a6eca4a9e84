export { type Contract, type Subgraph } from './compose.ts'
export { expectedFormat } from './expected-format.ts'
export { type Domain, domains, domainSdl, loadContract } from './load.ts'
export { type PermissionRule, type Permissions } from './permissions.ts'

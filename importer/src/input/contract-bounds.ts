import { loadContract } from '@commerce-graph/contract'

/** What the contract holds the fields of its inputs to, by path: `CreateProductInput.name`. */
export const { bounds } = loadContract()

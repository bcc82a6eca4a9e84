import { loadContract } from '@commerce-graph/contract'

/** The contract's bounds for the fields of its inputs, by path: `CreateProductInput.name`. */
export const { bounds } = loadContract()

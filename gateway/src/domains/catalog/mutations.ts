import type { MutationDefinition } from '../../mutation/definition.ts'
import { categoryMutations } from './category-mutations.ts'
import { productMutations } from './product-mutations.ts'
import { reviewMutations } from './review-mutations.ts'

export const catalogMutations: Readonly<Record<string, MutationDefinition>> = {
  ...productMutations,
  ...categoryMutations,
  ...reviewMutations,
}

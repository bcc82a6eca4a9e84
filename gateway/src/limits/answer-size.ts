import { type CatalogueError, catalogueError } from '@commerce-graph/contract/errors'

/** SVC_VAL_003 for an answer that is not sent. @param bytes that it has, or its characters where it was not made yet */
export function answerTooLarge(bytes: number, max: number): CatalogueError {
  const reason = `The answer would have more than ${max} bytes: select less, or ask for smaller pages`
  return catalogueError('SVC_VAL_003', { value: bytes, min: 0, max }, { field: 'query', reason })
}

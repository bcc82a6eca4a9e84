import type { HasuraError } from '@commerce-graph/data-layer'
import { catalogue, type CatalogueError, type CatalogueId } from '@commerce-graph/contract/errors'

/**
 * The catalogued condition that an action refused with: Hasura passes on the `message` and `extensions` of its
 * handler's 4xx answer, whose `code` is the condition's id and whose `details` say more.
 *
 * @returns null for any other error of Hasura
 */
export function actionRefusal({ message, extensions = {} }: HasuraError): CatalogueError | null {
  const { code: id, details } = extensions
  if (!isCatalogueId(id)) return null
  const { code, status } = catalogue[id]
  const ofAction = typeof details === 'object' && details !== null ? details : {}
  return { id, code, status, message, details: { reason: message, ...ofAction } }
}

const isCatalogueId = (id: string | undefined): id is CatalogueId =>
  id !== undefined && Object.hasOwn(catalogue, id)

import type { HasuraError } from '@commerce-graph/data-layer'
import { catalogue, type CatalogueId } from '../errors/catalogue.ts'
import type { CatalogueError } from '../errors/catalogue-error.ts'

/**
 * The catalogued condition that an action refused with: Hasura passes on the `message` and `extensions` of its
 * handler's 4xx answer, whose `code` is the condition's id and whose other members are details.
 *
 * @returns null for any other error of Hasura
 */
export function actionRefusal({ message, extensions = {} }: HasuraError): CatalogueError | null {
  const { code: id } = extensions
  if (!isCatalogueId(id)) return null
  // Hasura adds `path`, which is about its own document.
  const details = Object.fromEntries(
    Object.entries(extensions).filter(([name]) => name !== 'code' && name !== 'path'),
  )
  const { code, status } = catalogue[id]
  const reason = details['reason']
  return {
    id,
    code,
    status,
    message,
    details: { ...details, reason: typeof reason === 'string' ? reason : message },
  }
}

const isCatalogueId = (id: string | undefined): id is CatalogueId =>
  id !== undefined && Object.hasOwn(catalogue, id)

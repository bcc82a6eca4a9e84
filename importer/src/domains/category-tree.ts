import { randomUUID } from 'node:crypto'
import { Unavailable } from '../api/api-error.ts'
import { creation } from '../api/batch.ts'
import type { CommerceApi } from '../api/commerce-api.ts'
import { runFields } from '../api/fields.ts'
import { recordOf } from '../api/mutation-payload.ts'
import {
  CategoriesDocument,
  CreateCategoryDocument,
  type CategoriesQuery,
  type UserErrorPartsFragment,
} from '../generated/operations.ts'
import { levelsOf } from '../input/category-path.ts'
import { readAll } from './pages.ts'

type CategoryNode = CategoriesQuery['categories']['edges'][number]['node']

/** The API refused to create a category. */
export class CategoryRefused extends Error {
  override readonly name = 'CategoryRefused'
  readonly errors: readonly UserErrorPartsFragment[]

  constructor(path: string, errors: readonly UserErrorPartsFragment[]) {
    super(`category "${path}": ${errors.map(({ message }) => message).join('; ')}`)
    this.errors = errors
  }
}

/** The merchant's categories by path, e.g. `Clothing > Jackets`. Missing ones are created, once each. */
export class CategoryTree {
  readonly #api: CommerceApi
  #ids: Promise<Map<string, Promise<string>>> | undefined
  /** By path. A creation whose answer got lost may still be under way, where no list shows it yet: it is repeated with its key. */
  readonly #keys = new Map<string, string>()

  constructor(api: CommerceApi) {
    this.#api = api
  }

  /**
   * The ids of categories; missing ones are created.
   *
   * @throws CategoryRefused
   */
  async idsOf(paths: readonly string[]): Promise<string[]> {
    const ids: string[] = []
    for (const path of paths) ids.push(await this.#idOf(levelsOf(path)))
    return [...new Set(ids)]
  }

  async #idOf(levels: readonly string[]): Promise<string> {
    const ids = await this.#load()
    const path = levels.join(' > ')
    const known = ids.get(path)
    if (known !== undefined) return known
    // Stored before the category exists, so that concurrent rows with the same path wait for it.
    const creation = this.#create(levels)
    ids.set(path, creation)
    try {
      return await creation
    } catch (error) {
      // It may exist already if only the answer got lost, so a second attempt looks first.
      this.#ids = undefined
      throw error
    }
  }

  async #create(levels: readonly string[]): Promise<string> {
    const parentId = levels.length > 1 ? await this.#idOf(levels.slice(0, -1)) : undefined
    const input = { name: levels.at(-1) ?? '', parentId }
    const path = levels.join(' > ')
    const key = this.#keys.get(path) ?? randomUUID()
    this.#keys.set(path, key)
    const [result] = await runFields(this.#api, [creation(CreateCategoryDocument, { input })], key)
    if (result?.kind === 'failed') {
      const { message, code } = result.error
      if (!result.retryable) throw new CategoryRefused(path, [{ field: null, message, code }])
      throw new Unavailable(message)
    }
    const payload = recordOf(result?.value ?? null)
    if (payload.errors.length > 0) throw new CategoryRefused(path, payload.errors)
    return recordOf(payload.category).id
  }

  #load(): Promise<Map<string, Promise<string>>> {
    this.#ids ??= readAll(this.#api, {
      document: CategoriesDocument,
      variablesOf: (page) => page,
      connectionOf: (data) => data.categories,
    }).then(byPath)
    this.#ids.catch(() => {
      this.#ids = undefined
    })
    return this.#ids
  }
}

function byPath(nodes: readonly CategoryNode[]): Map<string, Promise<string>> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const paths = new Map<string, Promise<string>>()
  for (const node of nodes) {
    const levels: string[] = []
    for (let at: CategoryNode | undefined = node; at !== undefined; at = byId.get(at.parent?.id ?? '')) {
      levels.unshift(at.name)
    }
    const path = levels.join(' > ')
    if (!paths.has(path)) paths.set(path, Promise.resolve(node.id))
  }
  return paths
}

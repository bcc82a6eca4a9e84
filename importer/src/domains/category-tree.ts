import { z } from 'zod'
import { Unavailable } from '../api/api-error.ts'
import type { CommerceApi } from '../api/commerce-api.ts'
import { runFields, userErrorsOf, type UserError } from '../api/fields.ts'
import { levelsOf } from '../input/category-path.ts'
import { readAll } from './pages.ts'

const categories = `
  query Categories($first: Int, $after: String) {
    categories(first: $first, after: $after) {
      edges { node { id name parent { id } } }
      pageInfo { hasNextPage endCursor }
    }
  }`

const categoryNode = z.object({
  id: z.string(),
  name: z.string(),
  parent: z.object({ id: z.string() }).nullish(),
})
type CategoryNode = z.infer<typeof categoryNode>

const created = z.object({ category: z.object({ id: z.string() }) })

/** The API refused to create a category. */
export class CategoryRefused extends Error {
  override readonly name = 'CategoryRefused'
  readonly errors: readonly UserError[]

  constructor(path: string, errors: readonly UserError[]) {
    super(`category "${path}": ${errors.map(({ message }) => message).join('; ')}`)
    this.errors = errors
  }
}

/** The merchant's categories by path, e.g. `Clothing > Jackets`. Those missing are created, once each. */
export class CategoryTree {
  readonly #api: CommerceApi
  #ids: Promise<Map<string, Promise<string>>> | undefined

  constructor(api: CommerceApi) {
    this.#api = api
  }

  /**
   * The ids of categories, made where there are none.
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
    // Remembered before it is there, so that rows which need it at the same time wait for it.
    const creation = this.#create(levels)
    ids.set(path, creation)
    try {
      return await creation
    } catch (error) {
      // Perhaps it was created and only the answer got lost: so a second attempt looks first.
      this.#ids = undefined
      throw error
    }
  }

  async #create(levels: readonly string[]): Promise<string> {
    const parentId = levels.length > 1 ? await this.#idOf(levels.slice(0, -1)) : undefined
    const input = { name: levels.at(-1), parentId }
    const [result] = await runFields(this.#api, 'mutation', [
      {
        name: 'createCategory',
        arguments: { input: { type: 'CreateCategoryInput!', value: input } },
        selection: 'category { id } errors { field message code }',
        creates: true,
      },
    ])
    const path = levels.join(' > ')
    if (result?.kind !== 'data') {
      const message = result?.error.message ?? 'no answer'
      if (result?.retryable === false) throw new CategoryRefused(path, [{ message, code: result.error.code }])
      throw new Unavailable(message)
    }
    const errors = userErrorsOf(result.value)
    if (errors.length > 0) throw new CategoryRefused(path, errors)
    return created.parse(result.value).category.id
  }

  #load(): Promise<Map<string, Promise<string>>> {
    this.#ids ??= readAll(this.#api, categories, {}, (data) => data.categories, categoryNode).then(byPath)
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

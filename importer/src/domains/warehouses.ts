import { z } from 'zod'
import type { CommerceApi } from '../api/commerce-api.ts'
import { readAll } from './pages.ts'

const warehouses = `
  query Warehouses($first: Int, $after: String) {
    warehouses(first: $first, after: $after) {
      edges { node { id code } }
      pageInfo { hasNextPage endCursor }
    }
  }`

const warehouseNode = z.object({ id: z.string(), code: z.string() })

/** The merchant's warehouses by code, read when the first row asks for one. */
export class Warehouses {
  readonly #api: CommerceApi
  #ids: Promise<ReadonlyMap<string, string>> | undefined

  constructor(api: CommerceApi) {
    this.#api = api
  }

  async idOf(code: string): Promise<string | undefined> {
    this.#ids ??= readAll(this.#api, warehouses, {}, (data) => data.warehouses, warehouseNode).then(
      (nodes) => new Map(nodes.map((node) => [node.code, node.id])),
    )
    this.#ids.catch(() => {
      this.#ids = undefined
    })
    return (await this.#ids).get(code)
  }
}

import type { CommerceApi } from '../api/commerce-api.ts'
import { WarehousesDocument } from '../generated/operations.ts'
import { readAll } from './pages.ts'

/** The merchant's warehouses by code, read when the first row needs one. */
export class Warehouses {
  readonly #api: CommerceApi
  #ids: Promise<ReadonlyMap<string, string>> | undefined

  constructor(api: CommerceApi) {
    this.#api = api
  }

  async idOf(code: string): Promise<string | undefined> {
    this.#ids ??= readAll(this.#api, {
      document: WarehousesDocument,
      variablesOf: (page) => page,
      connectionOf: (data) => data.warehouses,
    }).then((nodes) => new Map(nodes.map((node) => [node.code, node.id])))
    this.#ids.catch(() => {
      this.#ids = undefined
    })
    return (await this.#ids).get(code)
  }
}

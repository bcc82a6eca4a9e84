import { ask, type Document } from './api.ts'

interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The rows of all pages of a list, which are asked for one after the other. Throws RequestFailed. */
export async function allNodes<Data, Row, Variables extends object>(
  document: Document<Data, Variables & { readonly after: string | null }>,
  variables: Variables,
  connection: (data: Data) => Connection<Row>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  let after: string | null = null
  for (;;) {
    const page: Connection<Row> = connection(await ask(document, { ...variables, after }, { signal }))
    rows.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return rows
    after = page.pageInfo.endCursor
  }
}

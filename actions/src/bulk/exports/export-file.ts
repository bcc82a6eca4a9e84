import type { MerchantId } from '@commerce-graph/contract/ids'

interface Named {
  readonly merchantId: MerchantId
  readonly id: string
}

/** The folder of all that is stored for an export. */
export const folderOfExport = ({ merchantId, id }: Named): string => `${merchantId}/private/exports/${id}`

/** @param claim the worker's: two workers never write the same key */
export const keyOfPart = (job: Named, claim: string, number: number): string =>
  `${folderOfExport(job)}/parts/${String(number).padStart(6, '0')}-${claim}`

export const keyOfFile = (job: Named, claim: string): string => `${folderOfExport(job)}/${claim}`

interface FileForm {
  readonly format: 'JSON_LINES' | 'CSV'
  readonly compressed: boolean
}

/** The name under which a browser saves the file, such as `orders-2026-11-24.csv.gz`. */
export const fileNameOf = (what: string, createdAt: Date, { format, compressed }: FileForm): string =>
  `${what}-${createdAt.toISOString().slice(0, 10)}.${format === 'CSV' ? 'csv' : 'jsonl'}${compressed ? '.gz' : ''}`

export function contentTypeOf({ format, compressed }: FileForm): string {
  if (compressed) return 'application/gzip'
  return format === 'CSV' ? 'text/csv' : 'application/x-ndjson'
}

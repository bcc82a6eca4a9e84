import type { ExportStatus, ImportRecordType, ImportStatus } from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import type { StatusName } from '../orders/order-names.ts'

export const importStatuses = {
  AWAITING_UPLOAD: { tone: 'wait', name: 'jobAwaitsFile' },
  QUEUED: { tone: 'wait', name: 'jobQueued' },
  CHECKING: { tone: 'info', name: 'jobChecking' },
  WRITING: { tone: 'info', name: 'jobWriting' },
  SUCCEEDED: { tone: 'good', name: 'jobDone' },
  FAILED: { tone: 'bad', name: 'jobFailed' },
  CANCELLED: { tone: 'calm', name: 'jobCancelled' },
} as const satisfies Record<ImportStatus, StatusName>

export const exportStatuses = {
  QUEUED: { tone: 'wait', name: 'jobQueued' },
  RUNNING: { tone: 'info', name: 'jobWriting' },
  SUCCEEDED: { tone: 'good', name: 'jobDone' },
  FAILED: { tone: 'bad', name: 'jobFailed' },
  CANCELLED: { tone: 'calm', name: 'jobCancelled' },
} as const satisfies Record<ExportStatus, StatusName>

export const recordTypes = {
  PRODUCT: 'products',
  CATEGORY: 'categories',
  CUSTOMER: 'customers',
  ORDER: 'orders',
  PROMOTION: 'recordPromotions',
  REVIEW: 'recordReviews',
} as const satisfies Record<ImportRecordType, MessageName>

const endings = new Set<string>(['SUCCEEDED', 'FAILED', 'CANCELLED'])

export const isEnded = ({ status }: { readonly status: ImportStatus | ExportStatus }): boolean =>
  endings.has(status)

/** Milliseconds between two questions how far a job is. */
export const jobPause = 1_000

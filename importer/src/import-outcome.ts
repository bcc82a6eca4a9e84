import type { JobState } from './jobs/import-job.ts'
import type { ImportSummary } from './run-import.ts'

/** What became of an import, as a person reads it. */
export function summaryText(
  { rows, counts, stopped }: ImportSummary,
  { dryRun, reportPath }: { readonly dryRun: boolean; readonly reportPath: string },
): string {
  const { created, updated, skipped, refused } = counts
  const done = dryRun
    ? `${rows} rows checked, ${refused} would be refused`
    : `${rows} rows: ${created} created, ${updated} updated, ${skipped} skipped, ${refused} refused`
  return [
    done,
    ...(refused > 0 ? [`Refused rows and their reasons: ${reportPath}`] : []),
    ...(stopped === undefined ? [] : [`Not finished: ${stopped}. The same command goes on from here.`]),
  ].join('\n')
}

/** How far a job is. */
export const jobProgressText = (
  file: string,
  { status, rows, checked, written, refused }: JobState,
): string =>
  `${file}: ${status.toLowerCase()}, ${checked} checked, ${written}${rows == null ? '' : ` of ${rows}`} written, ${refused} refused`

/** What became of a job. */
export function jobText(
  file: string,
  { rows, checked, imported, unchanged, refused, failure }: JobState,
  { dryRun, reportPath }: { readonly dryRun: boolean; readonly reportPath: string },
): string {
  const would = dryRun ? 'would be ' : ''
  const done = `${file}: ${rows ?? checked} rows, ${imported} ${would}imported, ${unchanged} unchanged, ${refused} ${would}refused`
  return [
    `${done}${failure == null ? '' : `: ${failure}`}`,
    ...(refused > 0 ? [`Refused rows and their reasons: ${reportPath}`] : []),
  ].join('\n')
}

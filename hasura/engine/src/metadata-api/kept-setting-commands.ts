import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { editSource } from '../metadata/edit-metadata.ts'
import { jsonObject, nonEmptyText, record } from '../metadata/parse.ts'
import { tlsAllowance } from '../metadata/types.ts'
import { type Command, edit, requireSource } from './command.ts'

/**
 * Settings of the metadata that this engine keeps for Hasura, without any effect here: those of the Enterprise Edition,
 * which the Community Edition keeps as well, and some that `unservedFeatures` warns of.
 */

const queryTags = record({
  source_name: nonEmptyText,
  disabled: z.boolean().default(false),
  format: z.enum(['standard', 'sqlcommenter']).default('standard'),
  omit_request_id: z.boolean().optional(),
})

const telemetryStatus = z.enum(['enabled', 'disabled'])

/** Hasura's source reads only the word; its documentation shows an object. */
const telemetryStatusArguments = z.union([
  telemetryStatus,
  record({ status: telemetryStatus }).transform(({ status }) => status),
])

const tlsHost = record({ host: z.string(), suffix: z.string().optional() })

const describeHost = ({ host, suffix }: z.output<typeof tlsHost>): string =>
  suffix === undefined ? `the host "${host}"` : `the host "${host}" with suffix "${suffix}"`

export const keptSettingCommands: Readonly<Record<string, Command>> = {
  set_query_tags: edit(queryTags, async ({ source_name: source, omit_request_id: omit, ...tags }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireSource(metadata, source)
    await draft.accept(
      editSource(metadata, source, (each) => ({
        ...each,
        query_tags: { ...tags, ...(omit === undefined ? {} : { omit_request_id: omit }) },
      })),
    )
  }),

  set_api_limits: edit(jsonObject, (limits, draft) =>
    draft.accept({ ...draft.snapshot.storedMetadata, api_limits: limits }),
  ),

  remove_api_limits: edit(z.unknown(), (_, draft) =>
    draft.accept({ ...draft.snapshot.storedMetadata, api_limits: undefined }),
  ),

  set_metrics_config: edit(jsonObject, (config, draft) =>
    draft.accept({ ...draft.snapshot.storedMetadata, metrics_config: config }),
  ),

  remove_metrics_config: edit(z.unknown(), (_, draft) =>
    draft.accept({ ...draft.snapshot.storedMetadata, metrics_config: undefined }),
  ),

  set_opentelemetry_config: edit(jsonObject, (config, draft) =>
    draft.accept({ ...draft.snapshot.storedMetadata, opentelemetry: config }),
  ),

  set_opentelemetry_status: edit(telemetryStatusArguments, (status, draft) => {
    const metadata = draft.snapshot.storedMetadata
    return draft.accept({ ...metadata, opentelemetry: { ...metadata.opentelemetry, status } })
  }),

  add_host_to_tls_allowlist: edit(tlsAllowance, async (allowance, draft) => {
    if (allowance.host === '') throw new HasuraError('bad-request', 'key "host" cannot be empty')
    const metadata = draft.snapshot.storedMetadata
    const { tls_allowlist: allowed = [] } = metadata.network ?? {}
    if (allowed.some(({ host, suffix }) => host === allowance.host && suffix === allowance.suffix))
      throw new HasuraError('already-exists', `${describeHost(allowance)} already exists in the allowlist`)
    await draft.accept({ ...metadata, network: { tls_allowlist: [...allowed, allowance] } })
  }),

  drop_host_from_tls_allowlist: edit(tlsHost, async (given, draft) => {
    if (given.host === '') throw new HasuraError('bad-request', 'hostname cannot be empty')
    const metadata = draft.snapshot.storedMetadata
    const { tls_allowlist: allowed = [] } = metadata.network ?? {}
    const left = allowed.filter(({ host, suffix }) => host !== given.host || suffix !== given.suffix)
    if (left.length === allowed.length)
      throw new HasuraError('not-exists', `${describeHost(given)} isn't present in the allowlist`)
    await draft.accept({ ...metadata, network: { tls_allowlist: left } })
  }),
}

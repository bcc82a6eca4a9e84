import type { CreateMetadataDefinitionInput } from '@commerce-graph/contract'
import { invalidValue, type UserError } from '@commerce-graph/contract/input'
import type { MutationDefinition } from '../../mutation/definition.ts'
import {
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  remove,
  table,
  update,
} from '../../mutation/rows.ts'

const definitionTable = table('metadata_definition')

/** The fields that can be changed; the others say which key it is. */
const changeable = ['name', 'description', 'choices', 'min', 'max', 'isAttribute'] as const
const identifying = ['ownerType', 'namespace', 'key', 'type', 'private'] as const

/** The database has the same rules, for changes as well, and names the same fields (constraints.ts). */
const reversed = ({ min, max }: Pick<CreateMetadataDefinitionInput, 'min' | 'max'>): readonly UserError[] =>
  min != null && max != null && min > max
    ? [invalidValue('max', 'The largest value is below the smallest')]
    : []

export const metadataMutations: Readonly<Record<string, MutationDefinition>> = {
  createMetadataDefinition: creation<'createMetadataDefinition'>({
    record: 'MetadataDefinition',
    what: 'Definition',
    check: reversed,
    write: (input) => insertOne(definitionTable, pick(input, [...identifying, ...changeable], 'left out')),
  }),
  updateMetadataDefinition: change<'updateMetadataDefinition'>({
    record: 'MetadataDefinition',
    what: 'Definition',
    check: reversed,
    write: (input, { id }) => update(definitionTable, byId(id), pick(input, changeable)),
  }),
  deleteMetadataDefinition: deletion('Definition', (id) => remove(definitionTable, byId(id))),
}

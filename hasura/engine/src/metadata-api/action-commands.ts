import { z } from 'zod'
import { forgetInvocations } from '../actions/action-log.ts'
import { actionObject, customTypesObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { actionDefinition, customTypes } from '../metadata/action.ts'
import { graphqlName, nonEmptyText, record } from '../metadata/parse.ts'
import type { Action, Metadata } from '../metadata/types.ts'
import { type Command, edit, success } from './command.ts'
import { requireTransforms } from './require-transforms.ts'

const createAction = record({
  name: graphqlName,
  definition: actionDefinition,
  comment: z.string().optional(),
})
const updateAction = record({
  name: graphqlName,
  definition: actionDefinition,
  comment: z.string().optional(),
})
const dropAction = record({ name: graphqlName, clear_data: z.boolean().optional() })
const actionPermission = record({ action: graphqlName, role: nonEmptyText, comment: z.string().optional() })

function requireAction(metadata: Metadata, name: string): Action {
  const found = metadata.actions?.find((action) => action.name === name)
  if (!found) throw new HasuraError('not-exists', `action with name "${name}" does not exist`)
  return found
}

const editAction = (metadata: Metadata, edited: Action): Metadata => ({
  ...metadata,
  actions: metadata.actions?.map((action) => (action.name === edited.name ? edited : action)),
})

export const actionCommands: Readonly<Record<string, Command>> = {
  create_action: edit(createAction, async (action, draft) => {
    requireTransforms(action.definition)
    const metadata = draft.snapshot.storedMetadata
    if (metadata.actions?.some(({ name }) => name === action.name)) {
      throw new HasuraError('already-exists', `action with name "${action.name}" already exists`)
    }
    await draft.change({ ...metadata, actions: [...(metadata.actions ?? []), action] }, actionObject(action))
  }),

  update_action: edit(updateAction, async ({ name, definition, comment }, draft) => {
    requireTransforms(definition)
    const metadata = draft.snapshot.storedMetadata
    const action = { ...requireAction(metadata, name), definition, comment }
    await draft.change(editAction(metadata, action), actionObject(action))
  }),

  drop_action: {
    schema: dropAction,
    changesMetadata: true,
    run: async (args, { draft }) => {
      const { name, clear_data: clearData = true } = dropAction.parse(args)
      const metadata = draft.snapshot.storedMetadata
      requireAction(metadata, name)
      await draft.accept({ ...metadata, actions: metadata.actions?.filter((action) => action.name !== name) })
      if (clearData) draft.atCommit((client) => forgetInvocations(client, name))
      return success
    },
  },

  create_action_permission: edit(actionPermission, async ({ action: name, role, comment }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const action = requireAction(metadata, name)
    const { permissions = [] } = action
    if (permissions.some((each) => each.role === role)) {
      throw new HasuraError('already-exists', `permission for role "${role}" is already defined on "${name}"`)
    }
    const edited = { ...action, permissions: [{ role, comment }, ...permissions] }
    await draft.change(editAction(metadata, edited), actionObject(edited))
  }),

  drop_action_permission: edit(actionPermission, async ({ action: name, role }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const action = requireAction(metadata, name)
    const { permissions = [] } = action
    if (!permissions.some((each) => each.role === role)) {
      throw new HasuraError('not-exists', `permission for role: "${role}" is not defined on "${name}"`)
    }
    await draft.accept(
      editAction(metadata, { ...action, permissions: permissions.filter((each) => each.role !== role) }),
    )
  }),

  set_custom_types: edit(customTypes, (types, draft) =>
    draft.change({ ...draft.snapshot.storedMetadata, custom_types: types }, customTypesObject(null)),
  ),
}

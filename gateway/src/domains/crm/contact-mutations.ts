import type { InteractionInput, UpdateInteractionInput } from '@commerce-graph/contract'
import type { MutationDefinition, Values } from '../../mutation/definition.ts'
import {
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'

const customerTable = table('crm_customer')
const contactTable = table('crm_contact')
const interactionTable = table('crm_interaction')

const contactColumns = ['name', 'title', 'email', 'phone', 'notes'] as const

const interactionColumns = ['type', 'subject', 'body', 'author', 'occurredAt'] as const

const contactColumn = ({ contactId }: InteractionInput | UpdateInteractionInput): Values =>
  contactId === undefined ? {} : { contact_id: contactId === null ? null : toUuid(contactId) }

export const contactMutations: Readonly<Record<string, MutationDefinition>> = {
  createContact: creation<'createContact'>({
    record: 'Contact',
    what: 'Contact',
    lookUps: ({ customerId }) => [present(customerTable, valueOf('customerId', customerId), 'Customer')],
    write: (input) =>
      insertOne(contactTable, {
        ...pick(input, contactColumns, 'left out'),
        customer_id: toUuid(input.customerId),
      }),
  }),
  updateContact: change<'updateContact'>({
    record: 'Contact',
    what: 'Contact',
    write: (input, { id }) => update(contactTable, byId(id), pick(input, contactColumns)),
  }),
  deleteContact: deletion('Contact', (id) => remove(contactTable, byId(id))),
  createInteraction: creation<'createInteraction'>({
    record: 'Interaction',
    what: 'Interaction',
    lookUps: ({ customerId, contactId }) => [
      present(customerTable, valueOf('customerId', customerId), 'Customer'),
      present(contactTable, valueOf('contactId', contactId), 'Contact'),
    ],
    write: (input) =>
      insertOne(interactionTable, {
        ...pick(input, interactionColumns, 'left out'),
        ...contactColumn(input),
        customer_id: toUuid(input.customerId),
      }),
  }),
  updateInteraction: change<'updateInteraction'>({
    record: 'Interaction',
    what: 'Interaction',
    lookUps: ({ contactId }) => [present(contactTable, valueOf('contactId', contactId), 'Contact')],
    write: (input, { id }) =>
      update(interactionTable, byId(id), {
        ...pick(input, interactionColumns),
        ...contactColumn(input),
      }),
  }),
  deleteInteraction: deletion('Interaction', (id) => remove(interactionTable, byId(id))),
}

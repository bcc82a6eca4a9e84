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
import { type Fields, optionalLine, optionalText, phone, text } from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'

const customerTable = table('Customer', 'customers')
const contactTable = table('Contact', 'contacts')
const interactionTable = table('Interaction', 'interactions')

const contactRules: Fields = {
  name: text({ max: 200 }),
  title: optionalLine({ max: 200 }),
  email: text({ max: 254 }),
  phone,
  notes: optionalText({ max: 5000 }),
}
const contactColumns = ['name', 'title', 'email', 'phone', 'notes'] as const

const interactionRules: Fields = {
  subject: text({ max: 200 }),
  body: optionalText({ max: 20_000 }),
  author: text({ max: 200 }),
}
const interactionColumns = ['type', 'subject', 'body', 'author', 'occurredAt'] as const

interface ContactInput {
  readonly customerId?: string | null
}

interface InteractionInput extends ContactInput {
  readonly contactId?: string | null
}

const contactColumn = ({ contactId }: InteractionInput): Values =>
  contactId === undefined ? {} : { contactId: contactId === null ? null : toUuid(contactId) }

export const contactMutations: Readonly<Record<string, MutationDefinition>> = {
  createContact: creation<ContactInput>({
    record: 'Contact',
    what: 'Contact',
    rules: contactRules,
    lookUps: ({ customerId }) => [present(customerTable, valueOf('customerId', customerId), 'Customer')],
    write: (input) =>
      insertOne(contactTable, {
        ...pick(input as Values, contactColumns, 'left out'),
        customerId: toUuid(input.customerId),
      }),
  }),
  updateContact: change({
    record: 'Contact',
    what: 'Contact',
    rules: contactRules,
    required: ['name'],
    write: (input, { id }) => update(contactTable, byId(id), pick(input as Values, contactColumns)),
  }),
  deleteContact: deletion('Contact', (id) => remove(contactTable, byId(id))),
  createInteraction: creation<InteractionInput>({
    record: 'Interaction',
    what: 'Interaction',
    rules: interactionRules,
    lookUps: ({ customerId, contactId }) => [
      present(customerTable, valueOf('customerId', customerId), 'Customer'),
      present(contactTable, valueOf('contactId', contactId), 'Contact'),
    ],
    write: (input) =>
      insertOne(interactionTable, {
        ...pick(input as Values, interactionColumns, 'left out'),
        ...contactColumn(input),
        customerId: toUuid(input.customerId),
      }),
  }),
  updateInteraction: change<InteractionInput>({
    record: 'Interaction',
    what: 'Interaction',
    rules: interactionRules,
    required: ['type', 'subject', 'occurredAt'],
    lookUps: ({ contactId }) => [present(contactTable, valueOf('contactId', contactId), 'Contact')],
    write: (input, { id }) =>
      update(interactionTable, byId(id), {
        ...pick(input as Values, interactionColumns),
        ...contactColumn(input),
      }),
  }),
  deleteInteraction: deletion('Interaction', (id) => remove(interactionTable, byId(id))),
}

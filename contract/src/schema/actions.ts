import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLSchema,
  isListType,
  isObjectType,
  Kind,
} from 'graphql'
import type { ResultType } from './action-results.ts'

/** A mutation that a Hasura Action does: what `@action` says of it, and what follows from its payload and its result. */
export interface Action extends ActionRoute {
  /** The relationship of the result that leads to the payload's record, and the record's type; null: the payload shows none. */
  readonly record: { readonly relationship: string; readonly type: string } | null
  /** The fields of the payload that the result answers itself. */
  readonly fromResult: readonly string[]
  /** Fields of the payload that are fields of the record under another name. */
  readonly fromRecord: Readonly<Record<string, string>>
}

interface ActionRoute {
  /** The folder of the actions' URL: `<path>/<mutation>`. */
  readonly path: string
  /** The type that it answers to Hasura: one of results.graphql. */
  readonly result: string
  /** The fields of the input that hold a secret to compare: one that is wrong counts as a guess of the client. Null: it tries none. */
  readonly triesSecret: readonly string[] | null
  /** Whether it may name a coupon: one that can't be used counts as a guess of the shopper and its network, or of a key's cart or customer. */
  readonly triesCoupon: boolean
}

/** Collects which mutations are actions while the SDL is composed, and takes `@action` and `@recordField` out of it. */
export class ActionRegister {
  readonly #routes = new Map<string, ActionRoute>()
  /** By `Payload.field`. */
  readonly #recordFields = new Map<string, string>()

  takeFrom(definition: DefinitionNode): DefinitionNode {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition
    const type = definition.name.value
    return { ...definition, fields: definition.fields?.map((field) => this.#take(type, field)) ?? [] }
  }

  /** Completes the actions, by the name of the mutation. Throws for a result that doesn't exist. */
  actions(schema: GraphQLSchema, results: ReadonlyMap<string, ResultType>): ReadonlyMap<string, Action> {
    const mutation = schema.getMutationType()?.getFields() ?? {}
    return new Map(
      [...this.#routes].map(([name, route]) => {
        const result = results.get(route.result)
        if (!result) throw new Error(`results.graphql has no ${route.result}`)
        const payload = mutation[name] && getNamedType(mutation[name].type)
        const fields = isObjectType(payload) ? Object.values(payload.getFields()) : []
        const others = fields.filter((field) => field.name !== 'errors' && !result.fields.has(field.name))
        const record = others
          .map((field) => getNullableType(field.type))
          .find((type) => !isListType(type) && isObjectType(type))
        return [
          name,
          {
            ...route,
            record:
              record && result.record ? { relationship: result.record.name, type: String(record) } : null,
            fromResult: fields.map((field) => field.name).filter((field) => result.fields.has(field)),
            fromRecord: Object.fromEntries(
              others.flatMap((field) => {
                const other = this.#recordFields.get(`${String(payload)}.${field.name}`)
                return other === undefined ? [] : [[field.name, other]]
              }),
            ),
          },
        ]
      }),
    )
  }

  #take(type: string, field: FieldDefinitionNode): FieldDefinitionNode {
    const taken = (field.directives ?? []).filter(({ name }) =>
      ['action', 'recordField'].includes(name.value),
    )
    for (const directive of taken) {
      const place = `${type}.${field.name.value}`
      if (directive.name.value === 'action') this.#routes.set(field.name.value, routeOf(directive, place))
      else this.#recordFields.set(place, textOf(directive, 'name', place))
    }
    return taken.length === 0
      ? field
      : { ...field, directives: field.directives?.filter((other) => !taken.includes(other)) ?? [] }
  }
}

function routeOf(directive: ConstDirectiveNode, place: string): ActionRoute {
  const secrets = argumentOf(directive, 'triesSecret')
  const coupon = argumentOf(directive, 'triesCoupon')
  return {
    path: textOf(directive, 'path', place),
    result: textOf(directive, 'result', place),
    triesSecret:
      secrets?.kind === Kind.LIST
        ? secrets.values.flatMap((value) => (value.kind === Kind.STRING ? [value.value] : []))
        : null,
    triesCoupon: coupon?.kind === Kind.BOOLEAN && coupon.value,
  }
}

const argumentOf = (directive: ConstDirectiveNode, argument: string): ConstValueNode | undefined =>
  directive.arguments?.find(({ name }) => name.value === argument)?.value

function textOf(directive: ConstDirectiveNode, argument: string, place: string): string {
  const value = argumentOf(directive, argument)
  if (value?.kind !== Kind.STRING) throw new Error(`@${directive.name.value} of ${place} needs ${argument}`)
  return value.value
}

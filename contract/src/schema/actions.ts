import { type DefinitionNode, type FieldDefinitionNode, Kind } from 'graphql'

/** A mutation that a Hasura Action does. */
export interface ActionRoute {
  /** The folder of the actions' URL: `<path>/<mutation>`. */
  readonly path: string
  /** The type that it answers to Hasura: one of results.graphql. */
  readonly result: string
}

/** Collects which mutations are actions while the SDL is composed, and takes `@action` out of it. */
export class ActionRegister {
  readonly #routes = new Map<string, ActionRoute>()

  /** By the name of the mutation. */
  get routes(): ReadonlyMap<string, ActionRoute> {
    return this.#routes
  }

  takeFrom(definition: DefinitionNode): DefinitionNode {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || definition.name.value !== 'Mutation')
      return definition
    return { ...definition, fields: definition.fields?.map((field) => this.#take(field)) ?? [] }
  }

  #take(field: FieldDefinitionNode): FieldDefinitionNode {
    const directive = field.directives?.find(({ name }) => name.value === 'action')
    if (!directive) return field
    const text = (argument: string): string => {
      const value = directive.arguments?.find(({ name }) => name.value === argument)?.value
      if (value?.kind !== Kind.STRING) throw new Error(`@action of ${field.name.value} needs ${argument}`)
      return value.value
    }
    this.#routes.set(field.name.value, { path: text('path'), result: text('result') })
    return { ...field, directives: field.directives?.filter((other) => other !== directive) ?? [] }
  }
}

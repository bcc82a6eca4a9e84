/**
 * Records of any domain by their ids alone. Like federation's fields they belong to no subgraph: a router has `_entities`, and
 * each domain's singles.
 */
export const nodeFields = `
  extend type Query {
    """
    A record of any type that has a key, by its id; null when there is none that the caller may see. It is looked for among the types
    that the fragments name (\`... on Order { total }\`), or among all if none names a type. Open in the specification.
    """
    node("The record's id." id: ID!): Node @guest

    "The same for several records, in the order of the ids. Open in the specification."
    nodes("The ids, 1 to 100." ids: [ID!]!): [Node]! @guest
  }
`

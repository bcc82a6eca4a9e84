import { type TableName, library } from './library.ts'
import type { BoolExp } from './query.ts'

/** A role's permission to read a table. */
export interface Permission {
  readonly columns: readonly string[]
  readonly filter: BoolExp
  readonly limit?: number
  readonly aggregations: boolean
}

/** A table that is not named has no permission. */
export type Role = Readonly<Partial<Record<TableName, Permission>>>

export const sessionVariables = { 'x-hasura-reader': 'gnu' } as const

const everything: BoolExp = { kind: 'and', of: [] }
const all = (table: TableName): Permission => ({
  columns: Object.keys(library[table].columns),
  filter: everything,
  aggregations: true,
})

export const roles = {
  admin: { author: all('author'), book: all('book'), review: all('review') },
  /** Rows by a session variable, by a disjunction with NULLs, and through relationships in both directions. */
  reader: {
    author: {
      columns: ['id', 'name', 'born'],
      filter: {
        kind: 'related',
        relationship: 'books',
        where: { kind: 'compare', column: 'printed', operator: '_eq', value: true },
      },
      aggregations: false,
    },
    book: {
      columns: ['id', 'author_id', 'title', 'price', 'weight', 'tags', 'printed'],
      filter: {
        kind: 'or',
        of: [
          { kind: 'not', of: { kind: 'compare', column: 'price', operator: '_gt', value: 1 } },
          { kind: 'null', column: 'author_id', is: true },
        ],
      },
      limit: 5,
      aggregations: true,
    },
    review: {
      columns: ['id', 'book_id', 'rating', 'reader'],
      filter: {
        kind: 'or',
        of: [
          { kind: 'session', column: 'reader', variable: 'x-hasura-reader' },
          {
            kind: 'and',
            of: [
              { kind: 'compare', column: 'rating', operator: '_gte', value: 3 },
              {
                kind: 'related',
                relationship: 'book',
                where: { kind: 'compare', column: 'title', operator: '_neq', value: 'eel' },
              },
            ],
          },
        ],
      },
      aggregations: true,
    },
  },
  /** Rows by their other columns, by rows that no relationship leads to, and by the root's columns from a distance. */
  rival: {
    author: {
      columns: ['id', 'name', 'living'],
      filter: {
        kind: 'related',
        relationship: 'books',
        where: {
          kind: 'related',
          relationship: 'reviews',
          where: { kind: 'columns', column: 'rating', operator: '_cgte', of: 'root', other: 'id' },
        },
      },
      aggregations: true,
    },
    book: {
      columns: ['id', 'title', 'price', 'weight', 'printed'],
      filter: {
        kind: 'or',
        of: [
          {
            kind: 'related',
            relationship: 'reviews',
            where: { kind: 'columns', column: 'rating', operator: '_ceq', of: 'root', other: 'price' },
          },
          {
            kind: 'exists',
            table: 'author',
            where: { kind: 'columns', column: 'name', operator: '_ceq', of: 'root', other: 'title' },
          },
        ],
      },
      aggregations: true,
    },
    review: {
      columns: ['id', 'rating', 'reader', 'read_on'],
      filter: {
        kind: 'or',
        of: [
          { kind: 'columns', column: 'rating', operator: '_cne', of: 'row', other: 'book_id' },
          {
            kind: 'exists',
            table: 'book',
            where: {
              kind: 'related',
              relationship: 'author',
              where: { kind: 'columns', column: 'name', operator: '_ceq', of: 'root', other: 'reader' },
            },
          },
        ],
      },
      aggregations: true,
    },
  },
  /** One table with few columns and rows. */
  visitor: {
    book: {
      columns: ['id', 'title', 'published'],
      filter: { kind: 'compare', column: 'tags', operator: '_contains', value: ['new'] },
      limit: 3,
      aggregations: false,
    },
  },
} satisfies Readonly<Record<string, Role>>

export type RoleName = keyof typeof roles

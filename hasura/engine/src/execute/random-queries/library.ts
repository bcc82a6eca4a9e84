/** The tables of the random queries, with their columns, relationships and rows. */
export const tableNames = ['author', 'book', 'review'] as const
export type TableName = (typeof tableNames)[number]

/** Dates are texts, which sort like the days. Texts have only lower-case letters, which every collation sorts alike. */
export type ColumnType = 'int' | 'float' | 'text' | 'date' | 'bool' | 'texts' | 'jsonb'
export type Value = number | string | boolean | null | readonly string[] | Readonly<Record<string, unknown>>
export type Row = Readonly<Record<string, Value>>

interface Relationship {
  readonly kind: 'object' | 'array'
  readonly table: TableName
  /** The joined columns of this table and of the other one. */
  readonly own: string
  readonly other: string
}

export interface LibraryTable {
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly relationships: Readonly<Record<string, Relationship>>
}

export const library: Readonly<Record<TableName, LibraryTable>> = {
  author: {
    columns: { id: 'int', name: 'text', born: 'date', living: 'bool' },
    relationships: { books: { kind: 'array', table: 'book', own: 'id', other: 'author_id' } },
  },
  book: {
    columns: {
      id: 'int',
      author_id: 'int',
      title: 'text',
      price: 'int',
      weight: 'float',
      published: 'date',
      printed: 'bool',
      tags: 'texts',
      attributes: 'jsonb',
    },
    relationships: {
      author: { kind: 'object', table: 'author', own: 'author_id', other: 'id' },
      reviews: { kind: 'array', table: 'review', own: 'id', other: 'book_id' },
    },
  },
  review: {
    columns: { id: 'int', book_id: 'int', rating: 'int', reader: 'text', read_on: 'date' },
    relationships: { book: { kind: 'object', table: 'book', own: 'book_id', other: 'id' } },
  },
}

export const librarySql = `
  create table author (id int primary key, name text, born date, living bool);
  create table book (
    id int primary key, author_id int references author, title text, price int, weight float8, published date, printed bool,
    tags text[], attributes jsonb
  );
  create table review (id int primary key, book_id int references book, rating int, reader text, read_on date);
`

/** Values for rows and queries. They are few, so that queries match, tie and miss. */
export const words = ['ant', 'bee', 'cat', 'eel', 'emu', 'gnat', 'gnu', 'newt'] as const
export const days = ['1999-12-31', '2020-02-29', '2024-01-01', '2024-06-15'] as const
export const tags = ['new', 'old', 'two words'] as const
export const documents = [{}, { pages: 1 }, { pages: 2, cover: 'hard' }, { cover: null }] as const

/** Picks the same item for the same number. Over the numbers, each item occurs, and NULL too. */
function pick<Item>(items: readonly Item[], number: number): Item | null {
  const index = (number * 7 + Math.floor(number / 3)) % (items.length + 1)
  return items[index] ?? null
}

const numbered = (count: number, row: (id: number) => Row): readonly Row[] =>
  Array.from({ length: count }, (_, index) => row(index + 1))

export const libraryRows: Readonly<Record<TableName, readonly Row[]>> = {
  author: numbered(6, (id) => ({
    id,
    name: pick(words, id),
    born: pick(days, id),
    living: pick([true, false], id),
  })),
  book: numbered(24, (id) => ({
    id,
    author_id: pick([1, 2, 3, 4], id),
    title: pick(words, id * 5),
    price: pick([0, 1, 2, 5], id * 3),
    weight: pick([0.25, 0.5, 1, 2.5], id * 17),
    published: pick(days, id * 11),
    printed: pick([true, false], id * 2),
    tags: pick([[], ['new'], ['old', 'new'], ['two words', 'new', 'new']], id),
    attributes: pick(documents, id * 13),
  })),
  review: numbered(50, (id) => ({
    id,
    book_id: pick([1, 2, 3, 5, 8, 13, 21], id * 2),
    rating: pick([1, 2, 3, 4, 5], id),
    reader: pick(words, id * 3),
    read_on: pick(days, id),
  })),
}

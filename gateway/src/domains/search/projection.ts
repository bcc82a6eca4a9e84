import { ascending, descending } from '../../projection/condition.ts'
import { equals, hasAll, idEquals, searchIn, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'
import {
  checkFirst,
  checkQuery,
  checkSearch,
  pageLimit,
  searchArguments,
  searchList,
} from './search-arguments.ts'

const articles: ConnectionProjection = {
  projection: 'Article',
  sortFields: {
    TITLE: { column: 'name', type: 'String' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    tags: hasAll('tags'),
    searchQuery: searchIn({ name: 'String' }),
    ...updatedAtFilters,
  },
}

export const search: DomainProjection = {
  queries: {
    search: {
      kind: 'functions',
      type: 'SearchResults',
      args: searchArguments,
      check: checkSearch,
      limit: pageLimit,
      parts: {
        results: {
          kind: 'union',
          function: 'search_search',
          // By the object relationship that leads to it.
          members: { product: 'Product', category: 'Category', article: 'Article' },
          orderBy: [ascending('position')],
        },
        pageInfo: { kind: 'pageInfo', of: 'results', list: searchList },
        totalCount: {
          kind: 'value',
          function: 'search_count_results',
          column: 'count',
          // Each result is of one type, and counted as such.
          sumOf: { list: 'facets', column: 'count', where: { column: 'name', is: 'TYPE' } },
        },
        facets: {
          kind: 'list',
          function: 'search_facets',
          projection: 'SearchFacet',
          orderBy: [
            ascending('name'),
            ascending('option_name'),
            ascending('namespace'),
            ascending('key'),
            descending('count'),
            ascending('min'),
            ascending('value'),
          ],
        },
      },
    },
    searchSuggestions: {
      kind: 'function',
      function: 'search_suggestions',
      projection: 'SearchSuggestion',
      args: { query: { type: 'String!' } },
      check: (args) => [...checkQuery(args), ...checkFirst(args)],
      orderBy: [descending('rank'), ascending('text')],
      limit: { argument: 'first', preset: 10 },
    },
    article: {
      kind: 'lookup',
      projection: 'Article',
      by: { id: idEquals('id'), slug: equals('slug', 'String') },
    },
    articles: { kind: 'connection', connection: articles },
  },
  types: {
    Article: {
      type: 'Article',
      table: 'search_article',
      fields: { title: { kind: 'column', column: 'name' } },
    },
    SearchFacet: { type: 'SearchFacet', table: 'search_facet' },
    SearchSuggestion: { type: 'SearchSuggestion', table: 'search_suggestion' },
  },
}

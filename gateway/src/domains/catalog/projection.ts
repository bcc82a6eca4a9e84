import { ascending, type Condition } from '../../projection/condition.ts'
import {
  atLeast,
  atMost,
  equals,
  type Filter,
  hasAll,
  idEquals,
  idFilter,
  searchIn,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, Lookup, TenantRole } from '../../projection/types.ts'

/** Deleted rows stay for the orders that point at them, and show nowhere else. */
const notDeleted: Condition = { deletedAt: { _is_null: true } }

/** A shopper's row permission also lets the products of its own orders and carts through; lists are for what is sold. */
const visible: Readonly<Record<TenantRole, Condition>> = {
  merchant: notDeleted,
  customer: { _and: [notDeleted, { status: { _eq: 'ACTIVE' } }] },
}

const inStock: Filter = {
  condition: (value) => ({ inventory: { available: value('Int_comparison_exp!') } }),
  toVariable: (wanted) => (wanted === true ? { _gt: 0 } : { _lte: 0 }),
}

const products: ConnectionProjection = {
  projection: 'Product',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    // Of a product with variants, what the cheapest costs.
    PRICE: { column: 'lowestPrice', type: 'bigint' },
    CREATED_AT: { column: 'createdAt', type: 'timestamptz' },
    UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' },
    POPULARITY: { column: 'popularity', type: 'bigint' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    categoryId: idFilter((id) => ({ categoryProducts: { categoryId: { _eq: id } } })),
    categorySlug: {
      condition: (slug) => ({ categoryProducts: { category: { slug: { _eq: slug('String!') } } } }),
    },
    searchQuery: searchIn({ searchText: 'String' }),
    // What is sold from 10 to 90 is among what costs at least 50, and among what costs at most 50.
    priceMin: atLeast('highestPrice', 'bigint'),
    priceMax: atMost('lowestPrice', 'bigint'),
    inStock,
    status: equals('status', 'String'),
    featured: equals('featured', 'Boolean'),
    tags: hasAll('tags'),
  },
  visible,
}

const categories: ConnectionProjection = {
  projection: 'Category',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    POSITION: { column: 'position', type: 'Int' },
    CREATED_AT: { column: 'createdAt', type: 'timestamptz' },
  },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: {
    parentId: idEquals('parentId'),
    level: equals('level', 'Int'),
    searchQuery: searchIn({ name: 'String' }),
  },
}

const reviews: ConnectionProjection = {
  projection: 'Review',
  sortFields: {
    CREATED_AT: { column: 'createdAt', type: 'timestamptz' },
    RATING: { column: 'rating', type: 'Int' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    status: equals('status', 'String'),
    productId: idEquals('productId'),
    customerId: idEquals('customerId'),
    rating: equals('rating', 'Int'),
    verifiedPurchase: equals('verifiedPurchase', 'Boolean'),
  },
  aggregates: { averageRating: { function: 'avg', column: 'rating', empty: null } },
}

/** The reviews that everybody sees. */
const approved: Condition = { status: { _eq: 'APPROVED' } }

const product: Lookup = {
  kind: 'lookup',
  table: 'products',
  projection: 'Product',
  by: { id: idEquals('id'), sku: equals('sku', 'String') },
  visible,
}

export const catalog: DomainProjection = {
  subscriptions: { product },
  queries: {
    product,
    products: { kind: 'connection', table: 'products', connection: products },
    category: {
      kind: 'lookup',
      table: 'categories',
      projection: 'Category',
      by: { id: idEquals('id'), slug: equals('slug', 'String') },
    },
    categories: { kind: 'connection', table: 'categories', connection: categories },
    reviews: { kind: 'connection', table: 'reviews', connection: reviews },
  },
  types: {
    Product: {
      type: 'Product',
      from: 'Product',
      fields: {
        images: {
          kind: 'list',
          relationship: 'images',
          orderBy: [ascending('order'), ascending('id')],
          limit: { argument: 'limit' },
        },
        categories: {
          kind: 'list',
          relationship: 'productCategories',
          through: 'category',
          orderBy: [ascending('category.name'), ascending('category.id')],
        },
        variants: {
          kind: 'list',
          relationship: 'variants',
          where: notDeleted,
          orderBy: [ascending('position'), ascending('id')],
        },
        hasVariants: { kind: 'exists', relationship: 'variants', where: notDeleted },
        averageRating: {
          kind: 'aggregate',
          relationship: 'reviews',
          aggregate: { function: 'avg', column: 'rating', empty: null },
          where: approved,
        },
        reviewCount: {
          kind: 'aggregate',
          relationship: 'reviews',
          aggregate: { function: 'count' },
          where: approved,
        },
        reviews: { kind: 'connection', relationship: 'reviews', connection: reviews },
      },
    },
    ProductImage: { type: 'ProductImage', from: 'ProductImage' },
    ProductVariant: {
      type: 'ProductVariant',
      from: 'ProductVariant',
      table: 'productVariants',
      fields: {
        options: {
          kind: 'list',
          relationship: 'options',
          orderBy: [ascending('position'), ascending('name')],
        },
      },
    },
    VariantOption: { type: 'VariantOption', from: 'VariantOption' },
    Category: {
      type: 'Category',
      from: 'Category',
      fields: {
        image: { kind: 'embedded', projection: 'CategoryImage', absentWhen: ['imageUrl'] },
        children: {
          kind: 'list',
          relationship: 'children',
          orderBy: [ascending('position'), ascending('id')],
        },
        products: {
          kind: 'connection',
          relationship: 'categoryProducts',
          through: 'product',
          link: { id: 'productId', columns: ['createdAt'] },
          connection: products,
        },
        productCount: {
          kind: 'aggregate',
          relationship: 'categoryProducts',
          aggregate: { function: 'count' },
          where: { product: notDeleted },
        },
      },
    },
    CategoryImage: {
      type: 'Image',
      from: 'Category',
      fields: {
        url: { kind: 'column', column: 'imageUrl' },
        alt: { kind: 'column', column: 'imageAlt' },
      },
    },
    Review: { type: 'Review', from: 'Review', table: 'reviews' },
  },
}

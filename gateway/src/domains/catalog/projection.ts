import { ascending, type Condition } from '../../projection/condition.ts'
import {
  anyOf,
  atLeast,
  atMost,
  equals,
  keptFilters,
  hasAll,
  idEquals,
  idFilter,
  searchIn,
  statusFilters,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, Lookup, TenantRole } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

/** Deleted rows stay for the orders that point at them, and show nowhere else. */
const notDeleted: Condition = { deleted_at: { _is_null: true } }

/** The row permission of shoppers and guests also lets the products of their own orders and carts through; lists are for what is sold. */
const sold: Condition = { _and: [notDeleted, { status: { _eq: 'ACTIVE' } }] }
const visible: Readonly<Record<TenantRole, Condition>> = {
  merchant: notDeleted,
  customer: sold,
  guest: sold,
}

const products: ConnectionProjection = {
  projection: 'Product',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    // Of a product with variants, what the cheapest costs.
    PRICE: { column: 'lowest_price', type: 'bigint' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
    POPULARITY: { column: 'popularity', type: 'bigint' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    categoryId: idFilter((id) => ({ category_products: { category_id: { _eq: id } } })),
    categorySlug: {
      condition: (slug) => ({ category_products: { category: { slug: { _eq: slug('String!') } } } }),
    },
    searchQuery: searchIn({ search_text: 'String' }),
    // A product that is sold from 10 to 90 matches a minimum of 50 and a maximum of 50.
    priceMin: atLeast('highest_price', 'bigint'),
    priceMax: atMost('lowest_price', 'bigint'),
    inStock: equals('in_stock', 'Boolean'),
    ...statusFilters(),
    featured: equals('featured', 'Boolean'),
    tags: hasAll('tags'),
    ...keptFilters,
    ...updatedAtFilters,
  },
  visible,
}

const categories: ConnectionProjection = {
  projection: 'Category',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    POSITION: { column: 'position', type: 'Int' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: {
    parentId: idEquals('parent_id'),
    level: equals('level', 'Int'),
    searchQuery: searchIn({ name: 'String' }),
    ...keptFilters,
    ...updatedAtFilters,
  },
}

const reviews: ConnectionProjection = {
  projection: 'Review',
  sortFields: {
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    RATING: { column: 'rating', type: 'Int' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    productId: idEquals('product_id'),
    customerId: idEquals('customer_id'),
    rating: equals('rating', 'Int'),
    verifiedPurchase: equals('verified_purchase', 'Boolean'),
    ...updatedAtFilters,
  },
  aggregates: { averageRating: { function: 'avg', column: 'rating', empty: null } },
}

/** Of a product that is deleted or not sold, a variant is as the product is. */
const soldVariant: Condition = { _and: [notDeleted, { product: sold }] }
const visibleVariants: Readonly<Record<TenantRole, Condition>> = {
  merchant: { _and: [notDeleted, { product: notDeleted }] },
  customer: soldVariant,
  guest: soldVariant,
}

const variants: ConnectionProjection = {
  projection: 'ProductVariant',
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' }, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    productId: idEquals('product_id'),
    skus: anyOf('sku', 'String', 100),
    ...keptFilters,
    ...updatedAtFilters,
  },
  visible: visibleVariants,
}

/** The reviews that everybody sees. */
const approved: Condition = { status: { _eq: 'APPROVED' } }

const product: Lookup = {
  kind: 'lookup',
  projection: 'Product',
  by: {
    id: idEquals('id'),
    sku: equals('sku', 'String'),
    slug: equals('slug', 'String'),
    externalId: equals('external_id', 'String'),
  },
  visible,
}

export const catalog: DomainProjection = {
  subscriptions: { product },
  queries: {
    product,
    products: { kind: 'connection', connection: products },
    productVariant: {
      kind: 'lookup',
      projection: 'ProductVariant',
      by: { id: idEquals('id'), sku: equals('sku', 'String'), externalId: equals('external_id', 'String') },
      visible: visibleVariants,
    },
    productVariants: { kind: 'connection', connection: variants },
    category: {
      kind: 'lookup',
      projection: 'Category',
      by: {
        id: idEquals('id'),
        slug: equals('slug', 'String'),
        externalId: equals('external_id', 'String'),
      },
    },
    categories: { kind: 'connection', connection: categories },
    review: { kind: 'lookup', projection: 'Review', by: { id: idEquals('id') } },
    reviews: { kind: 'connection', connection: reviews },
  },
  types: {
    Product: {
      type: 'Product',
      table: 'catalog_product',
      fields: {
        images: {
          kind: 'list',
          relationship: 'images',
          orderBy: [ascending('position'), ascending('id')],
          limit: { argument: 'limit' },
        },
        categories: {
          kind: 'list',
          relationship: 'product_categories',
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
    ProductImage: {
      type: 'ProductImage',
      table: 'catalog_product_image',
      fields: {
        order: { kind: 'column', column: 'position' },
        sizes: { kind: 'list', relationship: 'sizes', orderBy: [ascending('width')] },
      },
    },
    ProductVariant: {
      type: 'ProductVariant',
      table: 'catalog_product_variant',
      fields: {
        options: {
          kind: 'list',
          relationship: 'options',
          orderBy: [ascending('position'), ascending('name')],
        },
      },
    },
    VariantOption: { type: 'VariantOption', table: 'catalog_variant_option' },
    Category: {
      type: 'Category',
      table: 'catalog_category',
      fields: {
        image: { kind: 'embedded', projection: 'CategoryImage', absentWhen: ['image_url'] },
        children: {
          kind: 'list',
          relationship: 'children',
          orderBy: [ascending('position'), ascending('id')],
        },
        products: {
          kind: 'connection',
          relationship: 'category_products',
          through: 'product',
          link: { id: 'product_id', columns: ['created_at'] },
          connection: products,
        },
        productCount: {
          kind: 'aggregate',
          relationship: 'category_products',
          aggregate: { function: 'count' },
          where: { product: notDeleted },
        },
      },
    },
    CategoryImage: {
      type: 'Image',
      table: 'catalog_category',
      fields: {
        url: { kind: 'column', column: 'image_url' },
        alt: { kind: 'column', column: 'image_alt' },
        fileId: { kind: 'column', column: 'image_file_id' },
        sizes: { kind: 'list', relationship: 'image_sizes', orderBy: [ascending('width')] },
      },
    },
    Review: { type: 'Review', table: 'catalog_review' },
  },
}

import { choice, element, field, form, money } from './element.js'
import { addToCart } from './cart.js'
import { ask } from './shop.js'

const stockText = ({ inStock, quantity }) =>
  !inStock ? 'Sold out' : quantity === null ? 'In stock' : `${quantity} in stock`

/** The products, or those that a search finds. */
export async function catalogPage({ search }) {
  const { products } = await ask(
    `query ($filters: ProductFilters) {
      products(first: 24, filters: $filters) {
        totalCount
        edges { node { id name price currency images(limit: 1) { url alt sizes { url width } } availability { inStock quantity } } }
      }
    }`,
    { filters: search ? { searchQuery: search } : {} },
  )
  const entries = products.edges.map(({ node }) =>
    element(
      'li',
      {},
      element('a', { href: `#/product/${node.id}` }, ...node.images.map(image), node.name),
      element('div', {}, money(node.price, node.currency), ' · ', stockText(node.availability)),
    ),
  )
  return [
    element('h1', {}, search ? `Products for “${search}”` : 'Products'),
    element('p', {}, products.totalCount === 1 ? '1 product' : `${products.totalCount} products`),
    element('ul', { class: 'products' }, ...entries),
  ]
}

/** A picture, or nothing where it can't be loaded. */
const image = ({ url, alt, sizes }) =>
  element('img', {
    src: url,
    // Pictures that are not uploaded files have no sizes.
    ...(sizes.length > 0 && {
      srcset: sizes.map(({ url, width }) => `${url} ${width}w`).join(', '),
      sizes: '(max-width: 40rem) 100vw, 20rem',
    }),
    alt: alt ?? '',
    loading: 'lazy',
    onerror: ({ target }) => target.remove(),
  })

/** One product, with its variants. */
export async function productPage({ id }) {
  const { product } = await ask(
    `query ($id: ID!) {
      product(id: $id) {
        id name description price currency images(limit: 1) { url alt sizes { url width } } availability { inStock quantity }
        variants { id sku price options { name value } availability { inStock quantity } }
      }
    }`,
    { id },
  )
  if (product === null) return [element('h1', {}, 'This product is not for sale')]
  const variants = Object.fromEntries(
    product.variants.map(({ id, sku, price, options, availability }) => [
      id,
      `${options.map(({ value }) => value).join(', ') || sku}: ${money(price ?? product.price, product.currency)}, ${stockText(availability)}`,
    ]),
  )
  const send = async ({ quantity, variantId }) => {
    await addToCart({ productId: id, quantity: Number(quantity), ...(variantId && { variantId }) })
    location.hash = '#/cart'
  }
  const fields = [
    ...(product.variants.length > 0 ? [choice('Variant', 'variantId', variants)] : []),
    field('Quantity', 'quantity', { type: 'number', min: '1', value: '1' }),
  ]
  return [
    element('h1', {}, product.name),
    element('div', { class: 'product-page' }, ...product.images.map(image)),
    element('p', {}, money(product.price, product.currency), ' · ', stockText(product.availability)),
    element('p', {}, product.description ?? ''),
    form('Add to cart', fields, send),
  ]
}

import { index, route, type RouteConfig } from '@react-router/dev/routes'

export default [
  index('catalog/home.tsx'),
  route('c/:slug', 'catalog/category.tsx'),
  route('search', 'catalog/search.tsx'),
  route('p/:slug', 'catalog/product.tsx'),
  route('cart', 'cart/cart-page.tsx'),
  route('checkout', 'checkout/checkout-page.tsx'),
  route('order/:id', 'order/order-page.tsx'),
  route('guest-order', 'order/guest-order-page.tsx'),
  route('account', 'account/account-page.tsx'),
  route('account/password', 'account/password-page.tsx'),
  route('language', 'language/choose-language.ts'),
  route('*', 'ui/not-found.tsx'),
] satisfies RouteConfig

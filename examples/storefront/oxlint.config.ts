import { pagesConfig } from '../../scripts/lint/pages-config.ts'

/** Run by `npm run check --prefix examples/storefront`. */
export default pagesConfig(['build/**', '.react-router/**', '**/generated/**'], {
  // A loader throws the Response that the page for errors is made of.
  'typescript/only-throw-error': ['error', { allow: ['Response'] }],
})

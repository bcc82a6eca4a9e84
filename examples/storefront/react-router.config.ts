import type { Config } from '@react-router/dev/config'

// Catalog pages are rendered on the server: visitors and search engines get them whole. Cart, checkout and account are each
// visitor's own, and are rendered in the browser.
export default { ssr: true } satisfies Config

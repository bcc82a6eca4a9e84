import { pagesConfig } from '../scripts/lint/pages-config.ts'

/** Run by `npm run check --prefix admin`. */
export default pagesConfig(['dist/**', '**/generated/**'])

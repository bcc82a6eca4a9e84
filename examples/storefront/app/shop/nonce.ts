import { createContext } from 'react'

/** What marks the page's own inline scripts; empty in the browser, which doesn't show it to scripts. */
export const NonceContext = createContext('')

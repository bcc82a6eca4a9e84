import type { ReactNode } from 'react'

/** An address that leads nowhere: the root shows the page for it. */
export function loader(): never {
  throw new Response(null, { status: 404 })
}

export default function NotFound(): ReactNode {
  return null
}

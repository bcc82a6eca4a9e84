import { filled } from './filled.ts'
import type { Cells, Row } from './shop-table.ts'

/** The `shipping` or `billing` address of a row of WooCommerce's exports; null when it has none. */
export function woocommerceAddress(cells: Cells, kind: 'shipping' | 'billing'): Row | null {
  const place = filled({
    line1: cells(`${kind}Address1`),
    line2: cells(`${kind}Address2`),
    city: cells(`${kind}City`),
    state: cells(`${kind}State`),
    postalCode: cells(`${kind}Postcode`),
    country: cells(`${kind}Country`),
  })
  if (Object.keys(place).length === 0) return null
  return {
    ...filled({ recipientName: nameOf(cells, kind), company: cells(`${kind}Company`).slice(0, 200) }),
    ...place,
    ...filled({ phone: cells(`${kind}Phone`).slice(0, 50) }),
  }
}

export const nameOf = (cells: Cells, kind: 'shipping' | 'billing'): string =>
  `${cells(`${kind}FirstName`)} ${cells(`${kind}LastName`)}`.trim().slice(0, 200)

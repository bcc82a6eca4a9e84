import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { startOfDay } from '../format/shop-days.ts'
import { CartConversionDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Tile } from './tile.tsx'

/** How many of the carts that were last touched since a day became orders. */
export function CartTile({ since }: { readonly since: string }): ReactNode {
  const t = useText()
  const { share } = useFormat()
  const { timeZone } = useShop()
  const { data } = useApi('home', CartConversionDocument, {
    since: startOfDay(since, timeZone).toISOString(),
  })
  const all = data?.all.totalCount ?? 0
  const bought = data?.bought.totalCount ?? 0
  return (
    <Tile
      title={t('cartConversion')}
      href={`/orders?since=${since}`}
      figure={all === 0 ? '–' : share(bought / all)}
      below={data === undefined ? t('loading') : t('cartsBought', { bought, count: all })}
    />
  )
}

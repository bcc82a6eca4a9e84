import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { Address } from './order-aside.tsx'
import { detailsOf } from './order-lines.tsx'
import { addressedTo, Sheet, type SheetProps } from './sheet.tsx'

/** What goes into the parcel, without prices: the recipient may have got it as a present. */
export function PackingSlip({ order, shop }: SheetProps): ReactNode {
  const t = useText()
  return (
    <Sheet order={order} shop={shop} title={t('packingSlip')}>
      <div className="sheet-columns">
        <div>
          <h3>{t('shippingAddress')}</h3>
          <Address address={addressedTo(order.shippingAddress, order)} />
        </div>
        {order.shippingMethod !== null && (
          <div>
            <h3>{t('shipping')}</h3>
            <p>{order.shippingMethod.name}</p>
          </div>
        )}
      </div>
      <table className="grid-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">{t('packed')}</span>
            </th>
            <th scope="col">{t('product')}</th>
            <th scope="col">{t('sku')}</th>
            <th scope="col" className="end">
              {t('quantity')}
            </th>
          </tr>
        </thead>
        <tbody>
          {order.items.map((line) => {
            const units = line.quantity - line.cancelledQuantity
            if (units === 0) return null
            return (
              <tr key={line.id}>
                <td>
                  <span className="tick" />
                </td>
                <td>
                  <span className="strong">{line.productName}</span>
                  <div className="small">{detailsOf(line)}</div>
                </td>
                <td>{line.sku}</td>
                <td className="end strong">{units}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Sheet>
  )
}

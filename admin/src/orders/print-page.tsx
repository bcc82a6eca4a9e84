import './print.css'
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import { ask, useApi } from '../api/api.ts'
import { OrderDetailDocument, PrintedShopDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { Invoice } from './invoice.tsx'
import { PackingSlip } from './packing-slip.tsx'

/** As many as one prints at once, and the API answers in some seconds. */
const maxOrders = 100

/** Packing slips or invoices of orders, each on its own sheets. The browser prints them, or makes a PDF. */
export default function PrintPage({ kind }: { readonly kind: string }): ReactNode {
  const t = useText()
  const ids = (new URLSearchParams(useSearch()).get('ids') ?? '').split(',').filter((id) => id !== '')
  const customers = useMay('customers:read')
  const payments = useMay('payments:read')
  const shop = useApi('viewer', PrintedShopDocument, {}, { partial: true })
  const orders = useQueries({
    queries: ids.slice(0, maxOrders).map((id) => {
      const variables = { id, customers, payments }
      return {
        queryKey: ['orders', OrderDetailDocument.toString(), variables],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          ask(OrderDetailDocument, variables, { signal }),
      }
    }),
  })
  const error = orders.find((each) => each.error !== null)?.error ?? null
  const isWaiting = shop.isPending || orders.some(({ isPending }) => isPending)
  const found = orders.flatMap(({ data }) => (data?.order == null ? [] : [data.order]))
  const isInvoice = kind === 'invoice'
  const back =
    ids.length === 1
      ? { href: `/orders/${ids[0] ?? ''}`, text: t('order') }
      : { href: '/orders', text: t('orders') }
  return (
    <Page
      title={isInvoice ? t('invoices') : t('packingSlips')}
      lead={t('printLead')}
      back={back}
      narrow
      actions={
        <>
          <Link
            href={`/orders/print/${isInvoice ? 'slip' : 'invoice'}?ids=${ids.join(',')}`}
            className="button"
          >
            {isInvoice ? t('packingSlips') : t('invoices')}
          </Link>
          <Button
            look="primary"
            icon="printer"
            isDisabled={isWaiting || found.length === 0}
            onPress={() => print()}
          >
            {t('print')}
          </Button>
        </>
      }
    >
      {error !== null ? (
        <Failed error={error} retry={() => orders.forEach((each) => void each.refetch())} />
      ) : isWaiting ? (
        <Loading lines={8} />
      ) : found.length === 0 ? (
        <Empty icon="search" title={t('noSuchOrder')} text={t('noSuchOrderText')} />
      ) : (
        <div className="sheets">
          {found.map((order) =>
            isInvoice ? (
              <Invoice key={order.id} order={order} shop={shop.data?.merchantAccount ?? null} />
            ) : (
              <PackingSlip key={order.id} order={order} shop={shop.data?.merchantAccount ?? null} />
            ),
          )}
        </div>
      )}
    </Page>
  )
}

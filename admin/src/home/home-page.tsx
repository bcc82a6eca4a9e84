import { type ReactNode, useCallback } from 'react'
import { Link, useLocation } from 'wouter'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { addDays, dayIn } from '../format/shop-days.ts'
import {
  HomeDocument,
  type HomeQuery,
  type Metric,
  OrdersToSendDocument,
  StockAtRiskDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Select } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Card, Empty, Failed, Loading, Thumb } from '../ui/states.tsx'
import { useFilters } from '../ui/use-filters.ts'
import { CartTile } from './cart-tile.tsx'
import { SalesChart } from './sales-chart.tsx'
import { Tile } from './tile.tsx'

const periods = ['7', '30', '90', '365'] as const
const filterNames = ['days'] as const

/** How the shop does: today, and in a period beside the one before. Every figure leads to what it counts. */
export default function HomePage(): ReactNode {
  const t = useText()
  const [{ days }, change] = useFilters(filterNames)
  const mayAnalyse = useMay('analytics:read')
  const period = periods.find((each) => each === days) ?? '30'
  return (
    <Page
      title={t('home')}
      actions={
        <Select
          label={t('period')}
          labelHidden
          value={period}
          onChange={(chosen) => change({ days: chosen === '30' ? '' : chosen })}
          choices={periods.map((each) => ({ id: each, text: t('lastDays', { count: each }) }))}
        />
      }
    >
      {mayAnalyse && <Figures days={Number(period)} />}
      <div className="halves">
        {mayAnalyse && <BestProducts days={Number(period)} />}
        <div className="stack">
          {useMay('orders:read') && <ToSend />}
          {useMay('inventory:read') && <StockAtRisk />}
        </div>
      </div>
    </Page>
  )
}

/** What the cards of the page show of a period: asked once for all of them. */
function useFigures(days: number) {
  const { currency, timeZone } = useShop()
  const today = dayIn(timeZone)
  const start = addDays(today, 1 - days)
  return { start, today, ...useApi('home', HomeDocument, { start, end: today, today, currency }) }
}

function Figures({ days }: { readonly days: number }): ReactNode {
  const t = useText()
  const { currency, timeZone } = useShop()
  const [, navigate] = useLocation()
  const { data, error, refetch, start, today } = useFigures(days)
  const openDay = useCallback(
    (startTime: string) => {
      const day = dayIn(timeZone, new Date(startTime))
      navigate(`/orders?since=${day}&until=${day}`)
    },
    [navigate, timeZone],
  )
  if (error) return <Failed error={error} retry={() => void refetch()} />
  return (
    <>
      {data === undefined && (
        <span className="hidden" role="status">
          {t('loading')}
        </span>
      )}
      <Tiles data={data} since={start} today={today} />
      <Card title={t('salesByDay')}>
        <SalesChart days={data?.daily} currency={currency} onChoose={openDay} />
      </Card>
    </>
  )
}

/** Holds the place of a figure that hasn't come, so that nothing moves when it does. */
const unknown = { figure: '…', below: '…' } as const

interface TilesProps {
  readonly data: HomeQuery | undefined
  readonly since: string
  readonly today: string
}

function Tiles({ data, since, today }: TilesProps): ReactNode {
  const t = useText()
  const { money, number } = useFormat()
  const { currency } = useShop()
  const orders = `/orders?since=${since}`
  const amount = (minor: number) => money(minor, currency)
  const total = (metric: Metric, show: (value: number) => string) =>
    data === undefined ? unknown : { show, row: data.totals.find((row) => row.metric === metric) }
  const ofToday = (metric: Metric) => data?.today.find((row) => row.metric === metric)?.value ?? 0
  return (
    <div className="tiles">
      <Tile
        title={t('today')}
        href={`/orders?since=${today}`}
        {...(data === undefined
          ? unknown
          : {
              figure: amount(ofToday('TOTAL_SALES')),
              below: t('ordersCount', { count: ofToday('ORDERS') }),
            })}
      />
      <Tile title={t('sales')} href={orders} {...total('TOTAL_SALES', amount)} />
      <Tile title={t('orders')} href={orders} {...total('ORDERS', number)} />
      <Tile
        title={t('averageOrder')}
        href={`${orders}&sort=largest`}
        {...total('AVERAGE_ORDER_VALUE', amount)}
      />
      <Tile title={t('returningCustomers')} href="/customers" {...total('RETURNING_CUSTOMERS', number)} />
      {useMay('carts:read') && <CartTile since={since} />}
    </div>
  )
}

function BestProducts({ days }: { readonly days: number }): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const { currency } = useShop()
  const { data } = useFigures(days)
  const sold = (data?.best ?? []).filter((row) => row.product !== null && (row.value ?? 0) > 0)
  const most = Math.max(1, ...sold.map(({ value }) => value ?? 0))
  return (
    <Card title={t('bestProducts')}>
      {data === undefined ? (
        <Loading />
      ) : sold.length === 0 ? (
        <Empty icon="package" title={t('nothingSold')} text={t('nothingSoldText')} />
      ) : (
        <ol className="bars">
          {sold.map(({ product, value }) => (
            <li key={product?.id} className="with-thumb">
              <Thumb url={product?.images[0]?.url ?? null} icon="package" />
              <div className="best">
                <div className="between">
                  <Link href={`/products/${product?.id ?? ''}`} className="strong">
                    {product?.name}
                  </Link>
                  <span className="number">{money(value ?? 0, currency)}</span>
                </div>
                <div className="bar">
                  <span style={{ width: `${((value ?? 0) / most) * 100}%` }} />
                </div>
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

function ToSend(): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('orders', OrdersToSendDocument, {})
  return (
    <Card title={t('toSend')}>
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading lines={1} />
      ) : (
        <div className="between">
          <span className="sum-big">{t('ordersCount', { count: data.orders.totalCount })}</span>
          <Link href="/orders?status=CONFIRMED%2CPROCESSING" className="button">
            {t('open')}
          </Link>
        </div>
      )}
    </Card>
  )
}

function StockAtRisk(): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('stock', StockAtRiskDocument, {})
  const rows = data?.lowStock.nodes ?? []
  return (
    <Card
      title={t('stockAtRisk')}
      actions={
        <Link href="/stock" className="small">
          {t('showAll', { count: data?.lowStock.totalCount ?? 0 })}
        </Link>
      }
    >
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data !== undefined && rows.length === 0 ? (
        <p className="muted">{t('noRisk')}</p>
      ) : (
        <ul className="bars">
          {rows.map(({ sku, available, lowStockThreshold, productId }) => (
            <li key={sku} className="between">
              <Link href={`/products/${productId}`} className="strong">
                {sku}
              </Link>
              <Badge tone={available === 0 ? 'bad' : 'wait'}>
                {t('ofThreshold', { count: available, threshold: lowStockThreshold })}
              </Badge>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

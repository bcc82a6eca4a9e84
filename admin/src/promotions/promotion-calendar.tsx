import '../style/promotions.css'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { dayIn } from '../format/shop-days.ts'
import { PromotionCalendarDocument, type PromotionCalendarQuery } from '../generated/operations.ts'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { useFilters } from '../ui/use-filters.ts'
import { addMonths, daysIn, daysOfMonth } from './promotion-months.ts'
import { promotionStatuses, useDiscountInWords } from './promotion-names.ts'

type Promotion = PromotionCalendarQuery['promotions']['nodes'][number]

const filterNames = ['month'] as const

/** Which promotions run when, a month at a time: what overlaps is seen at once. */
export function PromotionCalendar(): ReactNode {
  const { t, locale } = useLanguage()
  const { timeZone } = useShop()
  const [filters, change] = useFilters(filterNames)
  const today = dayIn(timeZone)
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(filters.month) ? filters.month : today.slice(0, 7)
  const { data, error, refetch } = useApi('promotions', PromotionCalendarDocument, {})
  const title = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )
  const rows = (data?.promotions.nodes ?? []).flatMap((promotion) => {
    const span = daysOfMonth(
      month,
      dayIn(timeZone, new Date(promotion.startDate)),
      lastDay(promotion, timeZone),
    )
    return span === null ? [] : [{ promotion, span }]
  })
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2 aria-live="polite">{title}</h2>
        <div className="chips">
          <IconButton
            icon="chevronLeft"
            label={t('monthBefore')}
            onPress={() => change({ month: addMonths(month, -1) })}
          />
          <Button onPress={() => change({ month: '' })}>{t('today')}</Button>
          <IconButton
            icon="chevronRight"
            label={t('monthAfter')}
            onPress={() => change({ month: addMonths(month, 1) })}
          />
        </div>
      </header>
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty icon="tag" title={t('quietMonth')} text={t('quietMonthText')} />
      ) : (
        <div className="inside">
          <Days month={month} today={today} />
          <ul className="lanes">
            {rows.map(({ promotion, span }) => (
              <Lane key={promotion.id} promotion={promotion} span={span} days={daysIn(month)} />
            ))}
          </ul>
          {data.promotions.totalCount > data.promotions.nodes.length && (
            <p className="hint">{t('calendarOfLatest', { count: data.promotions.nodes.length })}</p>
          )}
        </div>
      )}
    </section>
  )
}

/** A promotion that ends at midnight is over on that day. */
const lastDay = ({ endDate }: Promotion, timeZone: string): string =>
  dayIn(timeZone, new Date(Date.parse(endDate) - 1))

const share = (part: number, days: number): string => `${String((part / days) * 100)}%`

function Days({ month, today }: { readonly month: string; readonly today: string }): ReactNode {
  const days = daysIn(month)
  const marked = [1, 8, 15, 22, 29].filter((day) => day <= days)
  return (
    <div className="lane-days small muted" aria-hidden="true">
      {marked.map((day) => (
        <span key={day} style={{ insetInlineStart: share(day - 1, days) }}>
          {day}
        </span>
      ))}
      {today.startsWith(month) && (
        <i style={{ insetInlineStart: share(Number(today.slice(8)) - 0.5, days) }} />
      )}
    </div>
  )
}

interface LaneProps {
  readonly promotion: Promotion
  readonly span: { readonly from: number; readonly to: number }
  readonly days: number
}

function Lane({ promotion, span: { from, to }, days }: LaneProps): ReactNode {
  const inWords = useDiscountInWords()
  const { dateTime } = useFormat()
  const { id, name, code, status, startDate, endDate } = promotion
  return (
    <li className="lane">
      <div className="between">
        <span>
          <Link href={`/promotions/edit/${id}`} className="strong">
            {name}
          </Link>{' '}
          <span className="small muted">
            {code !== null && `${code} · `}
            {inWords(promotion)}
          </span>
        </span>
        <StatusBadge status={promotionStatuses[status]} />
      </div>
      <div className="lane-bar" aria-hidden="true">
        <span
          className={status === 'ACTIVE' ? 'running' : undefined}
          style={{ insetInlineStart: share(from - 1, days), width: share(to - from + 1, days) }}
        />
      </div>
      <div className="small muted">
        {dateTime(startDate)} – {dateTime(endDate)}
      </div>
    </li>
  )
}

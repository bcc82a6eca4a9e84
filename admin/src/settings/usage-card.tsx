import type { ReactNode } from 'react'
import { Label, Meter } from 'react-aria-components'
import { useRateUsage } from '../api/rate-usage.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { Card } from '../ui/states.tsx'

/** Limits of a plan. One that the plan doesn't have isn't told by the gateway. */
const limits = [
  ['minute', 'usedInMinute'],
  ['hour', 'usedInHour'],
  ['burst', 'usedBeyondMinutes'],
] as const

/** How many of the requests that the plan allows the shop has sent: its keys, people and shoppers together. */
export function UsageCard(): ReactNode {
  const t = useText()
  const { number } = useFormat()
  const usage = new Map(useRateUsage().map((each) => [each.name, each]))
  return (
    <Card title={t('planUsage')}>
      <div className="form">
        <p className="muted">{t('planUsageLead')}</p>
        {limits.map(([name, label]) => {
          const limit = usage.get(name)
          if (limit === undefined) return null
          const amount = t('usedOf', { count: number(limit.used), limit: number(limit.quota) })
          return (
            <Meter
              key={name}
              className="progress"
              value={limit.used}
              maxValue={limit.quota}
              valueLabel={amount}
            >
              {({ percentage, valueText }) => (
                <>
                  <div className="between small">
                    <Label>{t(label)}</Label>
                    <span className="number muted">{valueText}</span>
                  </div>
                  <div className="bar">
                    <span style={{ width: `${percentage}%` }} />
                  </div>
                </>
              )}
            </Meter>
          )
        })}
      </div>
    </Card>
  )
}

import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { Checkbox, Select, TextField } from '../ui/fields.tsx'
import { dimensions, intervals, isDimension, isInterval, maxMetrics, metrics, metricsBy } from './metrics.ts'
import type { ReportQuestion } from './use-report-question.ts'

interface Props {
  readonly question: ReportQuestion
  readonly onChange: (changed: Partial<ReportQuestion>) => void
}

/** What a report says, of when, and how it is cut up. */
export function ReportForm({ question, onChange }: Props): ReactNode {
  const t = useText()
  const { groupBy, interval } = question
  const offered = metricsBy(groupBy)
  return (
    <div className="form">
      <div className="columns">
        <TextField
          type="date"
          label={t('from')}
          value={question.start}
          onChange={(start) => onChange({ start })}
        />
        <TextField
          type="date"
          label={t('until')}
          value={question.end}
          onChange={(end) => onChange({ end })}
        />
        <Select
          label={t('cutBy')}
          value={interval ?? ''}
          onChange={(id) => onChange({ interval: isInterval(id) ? id : null })}
          choices={[
            { id: '', text: t('inOnePiece') },
            ...Object.entries(intervals).map(([id, name]) => ({ id, text: t(name) })),
          ]}
        />
        <Select
          label={t('groupedBy')}
          value={groupBy ?? ''}
          onChange={(id) => onChange({ groupBy: isDimension(id) ? id : null })}
          choices={[
            { id: '', text: t('byNothing') },
            ...Object.entries(dimensions).map(([id, name]) => ({ id, text: t(name) })),
          ]}
        />
      </div>
      <fieldset className="choices">
        <legend>{t('figures')}</legend>
        {offered.map((name) => {
          const chosen = question.metrics.includes(name)
          return (
            <Checkbox
              key={name}
              isSelected={chosen}
              isDisabled={!chosen && question.metrics.length >= maxMetrics}
              onChange={(on) =>
                onChange({
                  metrics: on
                    ? [...question.metrics, name]
                    : question.metrics.filter((each) => each !== name),
                })
              }
            >
              {t(metrics[name].name)}
            </Checkbox>
          )
        })}
      </fieldset>
      <Checkbox isSelected={question.compare} onChange={(compare) => onChange({ compare })}>
        {t('besideBefore')}
      </Checkbox>
    </div>
  )
}

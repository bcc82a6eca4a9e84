import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { Checkbox, Select } from '../ui/fields.tsx'
import { dimensions, intervals, isDimension, isInterval, maxMetrics, metrics, metricsBy } from './metrics.ts'
import type { ReportShape } from './report-view.tsx'

interface Props {
  readonly shape: ReportShape
  readonly onChange: (changed: Partial<ReportShape>) => void
}

interface CutProps extends Props {
  /** Of the report within the form, such as `widgets.0`; none: the form is of the report alone. */
  readonly name?: string
}

/** How the days of a report are cut up, and what its figures are grouped by. */
export function CutFields({ name, shape: { interval, groupBy }, onChange }: CutProps): ReactNode {
  const t = useText()
  const named = (part: string) => (name === undefined ? {} : { name: `${name}.${part}` })
  return (
    <>
      <Select
        {...named('interval')}
        label={t('cutBy')}
        value={interval ?? ''}
        onChange={(id) => onChange({ interval: isInterval(id) ? id : null })}
        choices={[
          { id: '', text: t('inOnePiece') },
          ...Object.entries(intervals).map(([id, text]) => ({ id, text: t(text) })),
        ]}
      />
      <Select
        {...named('groupBy')}
        label={t('groupedBy')}
        value={groupBy ?? ''}
        onChange={(id) => onChange({ groupBy: isDimension(id) ? id : null })}
        choices={[
          { id: '', text: t('byNothing') },
          ...Object.entries(dimensions).map(([id, text]) => ({ id, text: t(text) })),
        ]}
      />
    </>
  )
}

/** Which figures a report has, of those that can be grouped so. */
export function FigureFields({ shape, onChange }: Props): ReactNode {
  const t = useText()
  return (
    <>
      <fieldset className="choices">
        <legend>{t('figures')}</legend>
        {metricsBy(shape.groupBy).map((metric) => {
          const chosen = shape.metrics.includes(metric)
          return (
            <Checkbox
              key={metric}
              isSelected={chosen}
              isDisabled={!chosen && shape.metrics.length >= maxMetrics}
              onChange={(on) =>
                onChange({
                  metrics: on ? [...shape.metrics, metric] : shape.metrics.filter((each) => each !== metric),
                })
              }
            >
              {t(metrics[metric].name)}
            </Checkbox>
          )
        })}
      </fieldset>
      <Checkbox isSelected={shape.compare} onChange={(compare) => onChange({ compare })}>
        {t('besideBefore')}
      </Checkbox>
    </>
  )
}

import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { TextField } from '../ui/fields.tsx'
import { CutFields, FigureFields } from './report-shape-fields.tsx'
import type { ReportQuestion } from './use-report-question.ts'

interface Props {
  readonly question: ReportQuestion
  readonly onChange: (changed: Partial<ReportQuestion>) => void
}

/** What a report says, of when, and how it is cut up. */
export function ReportForm({ question, onChange }: Props): ReactNode {
  const t = useText()
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
        <CutFields shape={question} onChange={onChange} />
      </div>
      <FigureFields shape={question} onChange={onChange} />
    </div>
  )
}

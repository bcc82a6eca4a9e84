import type { ReactNode } from 'react'
import { Label, ProgressBar } from 'react-aria-components'
import { useFormat } from '../format/format.ts'

interface Props {
  readonly label: string
  /** From 0 to 1; null while it can't be told. */
  readonly share: number | null
}

/** How far something is. */
export function Progress({ label, share }: Props): ReactNode {
  const { share: format } = useFormat()
  return (
    <ProgressBar
      className="progress"
      value={share ?? 0}
      minValue={0}
      maxValue={1}
      isIndeterminate={share === null}
      valueLabel={share === null ? '' : format(share)}
    >
      {({ valueText }) => (
        <>
          <div className="between small">
            <Label>{label}</Label>
            <span className="number muted">{valueText}</span>
          </div>
          <div className="bar">
            <span
              className={share === null ? 'endless' : undefined}
              style={{ width: `${(share ?? 0.4) * 100}%` }}
            />
          </div>
        </>
      )}
    </ProgressBar>
  )
}

import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Checkbox } from '../ui/fields.tsx'
import { actions, resourceNames, resourcesOf } from './permission-words.ts'

interface Props {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** What a role or a key may: a row for each kind of record. Nobody gives what they don't have, so only one's own permissions are offered. */
export function PermissionMatrix({ chosen, onChange }: Props): ReactNode {
  const t = useText()
  const own = useShop().permissions
  const toggle = (name: string, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(name)
    else next.delete(name)
    onChange(next)
  }
  return (
    <fieldset className="matrix">
      <legend>{t('permissions')}</legend>
      {resourcesOf(own).map((resource) => {
        const known = resourceNames[resource]
        const title = known === undefined ? resource : t(known)
        return (
          <div key={resource} className="matrix-row" role="group" aria-label={title}>
            <span>{title}</span>
            {actions.map((action) => {
              const name = `${resource}:${action}`
              return own.has(name) ? (
                <Checkbox key={action} isSelected={chosen.has(name)} onChange={(on) => toggle(name, on)}>
                  {t(action === 'read' ? 'maySee' : 'mayChange')}
                </Checkbox>
              ) : (
                <span key={action} />
              )
            })}
          </div>
        )
      })}
    </fieldset>
  )
}

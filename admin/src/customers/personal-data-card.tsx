import { type ReactNode, useState } from 'react'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/states.tsx'
import type { Customer } from './customer-page.tsx'
import { DataExportDialog } from './data-export-dialog.tsx'
import { EraseDialog } from './erase-dialog.tsx'

/** The API wants all of them from people who get a customer's data, and the last one from those who follow the export. */
const exportPermissions = [
  'exports:write',
  'customers:read',
  'orders:read',
  'payments:read',
  'carts:read',
  'booking:read',
  'email:read',
  'audit:read',
  'exports:read',
] as const

/** What a person may ask a shop for: a copy of the data, and to be forgotten. */
export function PersonalDataCard({ customer }: { readonly customer: Customer }): ReactNode {
  const t = useText()
  const { permissions } = useShop()
  const mayErase = useMay('customers:write')
  const mayExport = exportPermissions.every((name) => permissions.has(name))
  const [open, setOpen] = useState<'export' | 'erase' | null>(null)
  const close = () => setOpen(null)
  if (!mayErase && !mayExport) return null
  return (
    <Card title={t('personalData')}>
      <p className="small muted">{t('personalDataLead')}</p>
      <div className="chips">
        {mayExport && (
          <Button icon="download" onPress={() => setOpen('export')}>
            {t('exportData')}
          </Button>
        )}
        {mayErase && <Button onPress={() => setOpen('erase')}>{t('eraseCustomer')}</Button>}
      </div>
      {open === 'export' && <DataExportDialog customer={customer} onClose={close} />}
      {open === 'erase' && <EraseDialog customer={customer} onClose={close} />}
    </Card>
  )
}

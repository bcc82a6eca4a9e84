import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import {
  ShopSettingsDocument,
  type ShopSettingsQuery,
  UpdateAccountDocument,
  UpdateSettingsDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Checkbox, NumberField, Select, TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { ReadinessCard } from './readiness-card.tsx'

export type Account = NonNullable<ShopSettingsQuery['merchantAccount']>

/** The shop's name and addresses, its taxes, stock and payments. */
export function ShopTab(): ReactNode {
  const { data, error, refetch } = useApi('settings', ShopSettingsDocument, {})
  if (error) return <Failed error={error} retry={() => void refetch()} />
  const account = data?.merchantAccount
  if (account == null) return <Loading lines={8} />
  return (
    <div className="stack">
      <ReadinessCard checks={account.readiness} />
      <AccountForm account={account} />
      <SettingsForm settings={account.settings} />
    </div>
  )
}

function AccountForm({ account }: { readonly account: Account }): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const [form, setForm] = useState({
    name: account.name,
    email: account.email,
    phone: account.phone ?? '',
    website: account.website ?? '',
    country: account.country ?? '',
  })
  const { run, error, pending } = useChange(UpdateAccountDocument, ['settings', 'viewer'])
  const faults = faultsOf(error, accountFields)
  const set = (name: keyof typeof form) => (value: string) => setForm({ ...form, [name]: value })
  const submit = async () => {
    const { phone, website, country, ...rest } = form
    const input = {
      ...rest,
      phone: phone || null,
      website: website || null,
      ...(country !== '' && { country }),
    }
    if ((await run({ input })) !== null) tell(t('saved'))
  }
  return (
    <Card title={t('theShop')}>
      <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
        {faults.general !== null && <Fault text={faults.general} />}
        <div className="columns">
          <TextField
            name="name"
            label={t('name')}
            value={form.name}
            onChange={set('name')}
            isRequired
            isReadOnly={!mayWrite}
          />
          <TextField
            name="email"
            type="email"
            label={t('email')}
            hint={t('shopEmailHint')}
            value={form.email}
            onChange={set('email')}
            isRequired
            isReadOnly={!mayWrite}
          />
          <TextField
            name="phone"
            type="tel"
            label={t('phone')}
            value={form.phone}
            onChange={set('phone')}
            isReadOnly={!mayWrite}
          />
          <TextField
            name="website"
            type="url"
            label={t('website')}
            value={form.website}
            onChange={set('website')}
            isReadOnly={!mayWrite}
          />
          <TextField
            name="country"
            label={t('country')}
            hint={t('countryHint')}
            value={form.country}
            onChange={set('country')}
            isReadOnly={!mayWrite}
          />
        </div>
        {mayWrite && (
          <div>
            <Button type="submit" look="primary" isDisabled={pending}>
              {t('save')}
            </Button>
          </div>
        )}
      </ServerForm>
    </Card>
  )
}

const accountFields = ['name', 'email', 'phone', 'website', 'country'] as const
const settingsFields = [
  'taxRate',
  'lowStockThreshold',
  'cardPaymentMinutes',
  'language',
  'searchSynonyms',
  'searchStopWords',
] as const

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function SettingsForm({ settings }: { readonly settings: Account['settings'] }): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const [form, setForm] = useState({
    taxRate: settings.taxRate,
    lowStockThreshold: settings.lowStockThreshold,
    cardPaymentMinutes: settings.cardPaymentMinutes,
    acceptsBankTransfer: settings.acceptsBankTransfer,
    acceptsCash: settings.acceptsCash,
    language: settings.language,
  })
  const [synonyms, setSynonyms] = useState(settings.searchSynonyms.join('\n'))
  const [stopWords, setStopWords] = useState(settings.searchStopWords.join(', '))
  const { run, error, pending } = useChange(UpdateSettingsDocument, ['settings', 'stock', 'home'])
  const faults = faultsOf(error, settingsFields)
  const set =
    <Name extends keyof typeof form>(name: Name) =>
    (value: (typeof form)[Name]) =>
      setForm({ ...form, [name]: value })
  const submit = async () => {
    const searchStopWords = stopWords.split(/[\s,]+/).filter((word) => word !== '')
    const input = { ...form, searchSynonyms: linesOf(synonyms), searchStopWords }
    if ((await run({ input })) !== null) tell(t('saved'))
  }
  return (
    <Card title={t('selling')}>
      <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
        {faults.general !== null && <Fault text={faults.general} />}
        <p className="muted">
          {t('currencyAndZone', { currency: settings.currency, zone: settings.timezone })}
        </p>
        <div className="columns">
          <NumberField
            name="taxRate"
            label={t('taxRate')}
            hint={t('taxRateHint')}
            value={form.taxRate}
            onChange={set('taxRate')}
            formatOptions={percent}
            step={0.0001}
            minValue={0}
            maxValue={1}
            isReadOnly={!mayWrite}
          />
          <NumberField
            name="lowStockThreshold"
            label={t('lowStockFrom')}
            hint={t('lowStockHint')}
            value={form.lowStockThreshold}
            onChange={set('lowStockThreshold')}
            minValue={0}
            isReadOnly={!mayWrite}
          />
          <NumberField
            name="cardPaymentMinutes"
            label={t('payWithin')}
            hint={t('payWithinHint')}
            value={form.cardPaymentMinutes}
            onChange={set('cardPaymentMinutes')}
            minValue={1}
            isReadOnly={!mayWrite}
          />
          <Select
            name="language"
            label={t('textLanguage')}
            hint={t('textLanguageHint')}
            value={form.language}
            onChange={set('language')}
            choices={languageChoices(settings.language)}
          />
        </div>
        <Checkbox
          isSelected={form.acceptsBankTransfer}
          onChange={set('acceptsBankTransfer')}
          isReadOnly={!mayWrite}
        >
          {t('acceptsTransfer')}
        </Checkbox>
        <Checkbox isSelected={form.acceptsCash} onChange={set('acceptsCash')} isReadOnly={!mayWrite}>
          {t('acceptsCash')}
        </Checkbox>
        <div className="columns">
          <TextField
            name="searchSynonyms"
            label={t('synonyms')}
            hint={t('synonymsHint')}
            value={synonyms}
            onChange={setSynonyms}
            multiline
            isReadOnly={!mayWrite}
          />
          <TextField
            name="searchStopWords"
            label={t('stopWords')}
            hint={t('stopWordsHint')}
            value={stopWords}
            onChange={setStopWords}
            multiline
            isReadOnly={!mayWrite}
          />
        </div>
        {mayWrite && (
          <div>
            <Button type="submit" look="primary" isDisabled={pending}>
              {t('save')}
            </Button>
          </div>
        )}
      </ServerForm>
    </Card>
  )
}

const percent: Intl.NumberFormatOptions = { style: 'percent', maximumFractionDigits: 2 }

/** Those whose words search knows in all their forms, by their own names; and the shop's, whatever it is. */
function languageChoices(current: string) {
  const codes = new Set(['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'fi', 'nb', current])
  return [...codes].map((code) => ({
    id: code,
    text: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
  }))
}

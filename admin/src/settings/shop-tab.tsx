import type { ReactNode } from 'react'
import { useApi, useChange } from '../api/api.ts'
import {
  ShopSettingsDocument,
  type ShopSettingsQuery,
  UpdateAccountDocument,
  UpdateSettingsDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { DraftForm } from '../ui/draft-form.tsx'
import { Checkbox, NumberField, Select, TextField } from '../ui/fields.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { ReadinessCard } from './readiness-card.tsx'
import { accountInput, taxRateFormat } from './shop-input.ts'

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
  const isReadOnly = !useMay('merchant:write')
  const form = useDraft({
    name: account.name,
    email: account.email,
    phone: account.phone ?? '',
    website: account.website ?? '',
    country: account.country ?? '',
  })
  const { draft, set, changed } = form
  const { run, error, pending } = useChange(UpdateAccountDocument, ['settings', 'viewer'])
  const submit = async () => {
    if ((await run({ input: accountInput(changed) })) !== null) tell(t('saved'))
  }
  return (
    <Card title={t('theShop')}>
      <DraftForm
        draft={form}
        fields={accountFields}
        error={error}
        pending={pending}
        mayWrite={!isReadOnly}
        onSubmit={() => void submit()}
      >
        <div className="columns">
          <TextField
            name="name"
            label={t('name')}
            value={draft.name}
            onChange={(name) => set({ name })}
            isRequired
            isReadOnly={isReadOnly}
          />
          <TextField
            name="email"
            type="email"
            label={t('email')}
            hint={t('shopEmailHint')}
            value={draft.email}
            onChange={(email) => set({ email })}
            isRequired
            isReadOnly={isReadOnly}
          />
          <TextField
            name="phone"
            type="tel"
            label={t('phone')}
            value={draft.phone}
            onChange={(phone) => set({ phone })}
            isReadOnly={isReadOnly}
          />
          <TextField
            name="website"
            type="url"
            label={t('website')}
            value={draft.website}
            onChange={(website) => set({ website })}
            isReadOnly={isReadOnly}
          />
          <TextField
            name="country"
            label={t('country')}
            hint={t('countryHint')}
            value={draft.country}
            onChange={(country) => set({ country })}
            isReadOnly={isReadOnly}
          />
        </div>
      </DraftForm>
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

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function SettingsForm({ settings }: { readonly settings: Account['settings'] }): ReactNode {
  const t = useText()
  const isReadOnly = !useMay('merchant:write')
  const form = useDraft({
    taxRate: settings.taxRate,
    lowStockThreshold: settings.lowStockThreshold,
    cardPaymentMinutes: settings.cardPaymentMinutes,
    acceptsBankTransfer: settings.acceptsBankTransfer,
    acceptsCash: settings.acceptsCash,
    language: settings.language,
    synonyms: settings.searchSynonyms.join('\n'),
    stopWords: settings.searchStopWords.join(', '),
  })
  const { draft, set, changed } = form
  const { run, error, pending } = useChange(UpdateSettingsDocument, ['settings', 'stock', 'home'])
  const submit = async () => {
    const { synonyms, stopWords, ...others } = changed
    const input = {
      ...others,
      ...(synonyms !== undefined && { searchSynonyms: linesOf(synonyms) }),
      ...(stopWords !== undefined && { searchStopWords: wordsOf(stopWords) }),
    }
    if ((await run({ input })) !== null) tell(t('saved'))
  }
  return (
    <Card title={t('selling')}>
      <DraftForm
        draft={form}
        fields={settingsFields}
        error={error}
        pending={pending}
        mayWrite={!isReadOnly}
        onSubmit={() => void submit()}
      >
        <p className="muted">
          {t('currencyAndZone', { currency: settings.currency, zone: settings.timezone })}
        </p>
        <div className="columns">
          <NumberField
            name="taxRate"
            label={t('taxRate')}
            hint={t('taxRateHint')}
            value={draft.taxRate}
            onChange={(taxRate) => set({ taxRate })}
            formatOptions={taxRateFormat}
            minValue={0}
            maxValue={1}
            isReadOnly={isReadOnly}
          />
          <NumberField
            name="lowStockThreshold"
            label={t('lowStockFrom')}
            hint={t('lowStockHint')}
            value={draft.lowStockThreshold}
            onChange={(lowStockThreshold) => set({ lowStockThreshold })}
            minValue={0}
            isReadOnly={isReadOnly}
          />
          <NumberField
            name="cardPaymentMinutes"
            label={t('payWithin')}
            hint={t('payWithinHint')}
            value={draft.cardPaymentMinutes}
            onChange={(cardPaymentMinutes) => set({ cardPaymentMinutes })}
            minValue={1}
            isReadOnly={isReadOnly}
          />
          <Select
            name="language"
            label={t('textLanguage')}
            hint={t('textLanguageHint')}
            value={draft.language}
            onChange={(language) => set({ language })}
            choices={languageChoices(settings.language)}
          />
        </div>
        <Checkbox
          isSelected={draft.acceptsBankTransfer}
          onChange={(acceptsBankTransfer) => set({ acceptsBankTransfer })}
          isReadOnly={isReadOnly}
        >
          {t('acceptsTransfer')}
        </Checkbox>
        <Checkbox
          isSelected={draft.acceptsCash}
          onChange={(acceptsCash) => set({ acceptsCash })}
          isReadOnly={isReadOnly}
        >
          {t('acceptsCash')}
        </Checkbox>
        <div className="columns">
          <TextField
            name="searchSynonyms"
            label={t('synonyms')}
            hint={t('synonymsHint')}
            value={draft.synonyms}
            onChange={(synonyms) => set({ synonyms })}
            multiline
            isReadOnly={isReadOnly}
          />
          <TextField
            name="searchStopWords"
            label={t('stopWords')}
            hint={t('stopWordsHint')}
            value={draft.stopWords}
            onChange={(stopWords) => set({ stopWords })}
            multiline
            isReadOnly={isReadOnly}
          />
        </div>
      </DraftForm>
    </Card>
  )
}

/** Those whose words search knows in all their forms, by their own names; and the shop's, whatever it is. */
function languageChoices(current: string) {
  const codes = new Set(['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'fi', 'nb', current])
  return [...codes].map((code) => ({
    id: code,
    text: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
  }))
}

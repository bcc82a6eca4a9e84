import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  CancelPlanDocument,
  ChangePlanDocument,
  PlanDocument,
  ResumePlanDocument,
  type SubscriptionPlan,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { Select } from '../ui/fields.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { UsageCard } from './usage-card.tsx'

/** By their rank. Their names are the platform's. */
const plans = {
  FREE: 'Free',
  STARTER: 'Starter',
  PRO: 'Pro',
  ENTERPRISE: 'Enterprise',
} as const satisfies Record<SubscriptionPlan, string>
const isPlan = (text: string): text is SubscriptionPlan => Object.hasOwn(plans, text)

export function PlanTab(): ReactNode {
  const t = useText()
  const { date } = useFormat()
  const mayWrite = useMay('billing:write')
  const { data, error, refetch } = useApi('settings', PlanDocument, {})
  const [changing, setChanging] = useState(false)
  const cancel = useChange(CancelPlanDocument, ['settings'])
  const resume = useChange(ResumePlanDocument, ['settings'])
  if (error) return <Failed error={error} retry={() => void refetch()} />
  const subscription = data?.merchantAccount?.subscription
  if (subscription === undefined) return <Loading />
  const { plan, nextPlan, requestedPlan, currentPeriodEnd, cancelAtPeriodEnd } = subscription
  const fault = cancel.error ?? resume.error
  return (
    <div className="stack">
      <Card title={t('plan')}>
        <div className="form">
          {fault !== null && <Fault text={reasonOf(fault)} />}
          <dl className="facts">
            <dt>{t('plan')}</dt>
            <dd>{plans[plan]}</dd>
            <dt>{t(cancelAtPeriodEnd ? 'planEnds' : 'periodEnds')}</dt>
            <dd>{date(currentPeriodEnd)}</dd>
            {nextPlan !== null && (
              <>
                <dt>{t('planAfter')}</dt>
                <dd>{plans[nextPlan]}</dd>
              </>
            )}
            {requestedPlan !== null && (
              <>
                <dt>{t('planAsked')}</dt>
                <dd>{plans[requestedPlan]}</dd>
              </>
            )}
          </dl>
          {mayWrite && (
            <span className="chips">
              <Button onPress={() => setChanging(true)}>{t('changePlan')}</Button>
              {cancelAtPeriodEnd ? (
                <Button isDisabled={resume.pending} onPress={() => void resume.run({})}>
                  {t('resumePlan')}
                </Button>
              ) : (
                <Button look="quiet" isDisabled={cancel.pending} onPress={() => void cancel.run({})}>
                  {t('cancelPlan')}
                </Button>
              )}
            </span>
          )}
        </div>
        {changing && <ChangeDialog current={plan} onClose={() => setChanging(false)} />}
      </Card>
      <UsageCard />
    </div>
  )
}

interface ChangeProps {
  readonly current: SubscriptionPlan
  readonly onClose: () => void
}

function ChangeDialog({ current, onClose }: ChangeProps): ReactNode {
  const t = useText()
  const [plan, setPlan] = useState<SubscriptionPlan>(current)
  const { run, error, pending } = useChange(ChangePlanDocument, ['settings'])
  const submit = async () => {
    if ((await run({ plan })) === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={t('changePlan')}
      narrow
      fields={['plan']}
      error={error}
      submit={t('changePlan')}
      pending={pending}
      disabled={plan === current}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('changePlanLead')}</p>
      <Select
        name="plan"
        label={t('plan')}
        value={plan}
        onChange={(next) => isPlan(next) && setPlan(next)}
        choices={Object.entries(plans).map(([id, text]) => ({ id, text }))}
      />
    </FormDialog>
  )
}

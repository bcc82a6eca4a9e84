import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { CapturePaymentDocument, MarkPaymentReceivedDocument } from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { Checkbox, NumberField } from '../ui/fields.tsx'
import { Card } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { paymentMethods, paymentStatuses, refundStatuses } from './order-names.ts'
import type { Order } from './order-page.tsx'

type Payment = Order['payments'][number]

export function PaymentsCard({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  return (
    <Card title={t('payments')}>
      {order.payments.length === 0 ? (
        <p className="muted">
          {order.paymentDueAt === null
            ? t('noPayments')
            : t('paymentDue', { date: dateTime(order.paymentDueAt) })}
        </p>
      ) : (
        <ul>
          {order.payments.map((payment) => (
            <li key={payment.id} className="parcel">
              <PaymentParts payment={payment} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function PaymentParts({ payment }: { readonly payment: Payment }): ReactNode {
  const t = useText()
  const { money, dateTime } = useFormat()
  const amount = (minor: number) => money(minor, payment.currency)
  const card = [payment.brand, payment.last4 && `•••• ${payment.last4}`].filter(Boolean).join(' ')
  return (
    <>
      <div className="between">
        <h3>
          {t(paymentMethods[payment.method])}
          {card !== '' && <span className="muted small"> {card}</span>}
        </h3>
        <StatusBadge status={paymentStatuses[payment.status]} />
      </div>
      <div className="between">
        <span className="small muted">{dateTime(payment.createdAt)}</span>
        <span className="number strong">{amount(payment.amount)}</span>
      </div>
      {payment.capturableAmount > 0 && (
        <p className="small">{t('capturable', { amount: amount(payment.capturableAmount) })}</p>
      )}
      {payment.failureReason !== null && <p className="small fault">{payment.failureReason}</p>}
      {payment.refunds.map((refund) => (
        <div key={refund.id} className="between small">
          <span className="wrap">
            {dateTime(refund.createdAt)} · {refund.reason}
            {refund.failureReason !== null && <span className="fault"> {refund.failureReason}</span>}
          </span>
          <span className="chips">
            <span className="number">−{amount(refund.amount)}</span>
            <StatusBadge status={refundStatuses[refund.status]} />
          </span>
        </div>
      ))}
      <PaymentActions payment={payment} />
    </>
  )
}

function PaymentActions({ payment }: { readonly payment: Payment }): ReactNode {
  const t = useText()
  const mayWrite = useMay('payments:write')
  const [capturing, setCapturing] = useState(false)
  const received = useChange(MarkPaymentReceivedDocument, ['orders', 'home'])
  const isAwaited = payment.awaited && payment.status === 'PENDING'
  if (!mayWrite || (payment.capturableAmount === 0 && !isAwaited)) return null
  return (
    <div className="chips">
      {received.error && <Fault text={reasonOf(received.error)} />}
      {payment.capturableAmount > 0 && <Button onPress={() => setCapturing(true)}>{t('capture')}</Button>}
      {isAwaited && (
        <Button isDisabled={received.pending} onPress={() => void received.run({ id: payment.id })}>
          {t('markReceived')}
        </Button>
      )}
      {capturing && <CaptureDialog payment={payment} onClose={() => setCapturing(false)} />}
    </div>
  )
}

interface CaptureProps {
  readonly payment: Payment
  readonly onClose: () => void
}

function CaptureDialog({ payment, onClose }: CaptureProps): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const { id, currency, capturableAmount } = payment
  const units = unitsOf(currency)
  const [value, setValue] = useState(capturableAmount / units)
  const [final, setFinal] = useState(false)
  const { run, error, pending } = useChange(CapturePaymentDocument, ['orders', 'home'])
  const minor = Math.round(value * units)
  const isPart = minor < capturableAmount
  const submit = async () => {
    if ((await run({ id, amount: minor, ...(isPart && { final }) })) === null) return
    tell(t('captured', { amount: money(minor, currency) }))
    onClose()
  }
  return (
    <FormDialog
      title={t('capture')}
      narrow
      fields={['amount']}
      error={error}
      submit={t('captureAmount', { amount: money(minor, currency) })}
      pending={pending}
      disabled={!(minor > 0)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('captureLead', { amount: money(capturableAmount, currency) })}</p>
      <NumberField
        name="amount"
        label={t('amount')}
        value={value}
        onChange={setValue}
        minValue={1 / units}
        maxValue={capturableAmount / units}
        step={1 / units}
        formatOptions={moneyOptions(currency)}
      />
      {isPart && (
        <Checkbox isSelected={final} onChange={setFinal}>
          {t('captureFinal')}
        </Checkbox>
      )}
    </FormDialog>
  )
}

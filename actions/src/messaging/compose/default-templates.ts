import type { TemplateKind } from './message-kind.ts'
import type { Template } from './template.ts'

const page = (content: string): string => `<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;background:#f5f5f4;font-family:system-ui,sans-serif;color:#1c1917">
<div style="max-width:560px;margin:0 auto;padding:24px;background:#fff;border-radius:8px">
${content}
<p style="margin-top:32px;color:#78716c;font-size:13px">{{shop.name}}{{#shop.website}} · <a href="{{shop.website}}">{{shop.website}}</a>{{/shop.website}} · {{shop.email}}</p>
</div>
</body>
</html>
`

const orderTable = `<table style="width:100%;border-collapse:collapse">
{{#items}}
<tr><td style="padding:4px 0">{{quantity}} × {{name}}{{#properties}}<br><small>{{name}}: {{value}}</small>{{/properties}}</td><td style="text-align:right">{{subtotal}}</td></tr>
{{/items}}
<tr><td style="padding-top:12px">Subtotal</td><td style="text-align:right">{{order.subtotal}}</td></tr>
{{#order.discount}}
<tr><td>Discount</td><td style="text-align:right">−{{order.discount}}</td></tr>
{{/order.discount}}
<tr><td>Shipping</td><td style="text-align:right">{{order.shipping}}</td></tr>
<tr><td>Tax</td><td style="text-align:right">{{order.tax}}</td></tr>
<tr><td><strong>Total</strong></td><td style="text-align:right"><strong>{{order.total}}</strong></td></tr>
</table>`

const orderLines = `{{#items}}
{{quantity}} x {{name}}: {{subtotal}}
{{#properties}}
  {{name}}: {{value}}
{{/properties}}
{{/items}}

Subtotal: {{order.subtotal}}
{{#order.discount}}
Discount: -{{order.discount}}
{{/order.discount}}
Shipping: {{order.shipping}}
Tax: {{order.tax}}
Total: {{order.total}}`

const address = `{{#shippingAddress}}
{{#recipientName}}
{{recipientName}}
{{/recipientName}}
{{#company}}
{{company}}
{{/company}}
{{line1}}
{{#line2}}
{{line2}}
{{/line2}}
{{city}}, {{state}} {{postalCode}}
{{country}}
{{/shippingAddress}}`

const htmlAddress = `{{#shippingAddress}}<p>It goes to<br>{{#recipientName}}{{recipientName}}<br>{{/recipientName}}{{#company}}{{company}}<br>{{/company}}{{line1}}<br>{{#line2}}{{line2}}<br>{{/line2}}{{city}}, {{state}} {{postalCode}}<br>{{country}}</p>{{/shippingAddress}}`

const signature = '\n\n{{shop.name}}\n{{shop.email}}\n'

const tokenMail = (says: {
  readonly subject: string
  readonly why: string
  /** On the button. */
  readonly act: string
  /** Before the token, where there is no page to lead to. */
  readonly use: string
  readonly otherwise: string
}): Template => ({
  subject: says.subject,
  html: page(`<p>${says.why}</p>
{{#link}}<p style="margin:24px 0"><a href="{{link}}" style="padding:12px 20px;background:#1c1917;color:#fff;border-radius:6px;text-decoration:none">${says.act}</a></p>{{/link}}
{{^link}}<p>${says.use}</p><p style="font-family:monospace;word-break:break-all"><strong>{{token}}</strong></p>{{/link}}
<p>It is good once, until {{expiresAt}}. ${says.otherwise}</p>`),
  text: `${says.why}

{{#link}}
${says.act}: {{link}}
{{/link}}
{{^link}}
${says.use}

{{token}}
{{/link}}

It is good once, until {{expiresAt}}. ${says.otherwise}${signature}`,
})

const reset = (person: 'user' | 'customer') =>
  tokenMail({
    subject: 'Set a new password for {{shop.name}}',
    why: `Hello {{${person}.name}}, we received a request to set a new password for your account at {{shop.name}}.`,
    act: 'Set a new password',
    use: 'This is the code to set it with:',
    otherwise: 'If it wasn’t you, there is nothing to do: your password stays as it is.',
  })

const verification = (person: 'user' | 'customer') =>
  tokenMail({
    subject: 'Confirm your e-mail address for {{shop.name}}',
    why: `Hello {{${person}.name}}, please confirm that {{${person}.email}} is your address.`,
    act: 'Confirm the address',
    use: 'This is the code to confirm it with:',
    otherwise: 'If you have no account at {{shop.name}}, there is nothing to do.',
  })

const appointmentMail = (subject: string, heading: string): Template => ({
  subject: `${subject}: {{appointment.service}}, {{appointment.startTime}}`,
  html: page(`<h1>${heading}</h1>
<p>{{appointment.service}} with {{appointment.staff}}, {{appointment.duration}} minutes:</p>
<p><strong>{{appointment.startTime}}</strong></p>
{{#appointment.unpaid}}<p>Your payment has not reached us in time.</p>{{/appointment.unpaid}}
{{#appointment.fee}}<p>It costs {{appointment.fee}}, because it was cancelled late.</p>{{/appointment.fee}}
{{#appointment.paid}}<p>Paid: {{appointment.paid}}</p>{{/appointment.paid}}
{{#appointment.due}}<p>Still to pay: {{appointment.due}}</p>{{/appointment.due}}`),
  text: `${heading}: {{appointment.service}} with {{appointment.staff}}, {{appointment.duration}} minutes

{{appointment.startTime}}
{{#appointment.unpaid}}

Your payment has not reached us in time.
{{/appointment.unpaid}}
{{#appointment.fee}}

It costs {{appointment.fee}}, because it was cancelled late.
{{/appointment.fee}}
{{#appointment.paid}}

Paid: {{appointment.paid}}
{{/appointment.paid}}
{{#appointment.due}}

Still to pay: {{appointment.due}}
{{/appointment.due}}${signature}`,
})

const staffMail = (heading: string): Template => ({
  subject: `${heading}: {{appointment.service}}, {{appointment.startTime}}`,
  html: page(`<h1>${heading}</h1>
<p>{{appointment.service}} for {{customer.name}}, {{appointment.duration}} minutes:</p>
<p><strong>{{appointment.startTime}}</strong></p>
{{#appointment.resources}}<p>{{appointment.resources}}</p>{{/appointment.resources}}`),
  text: `${heading}: {{appointment.service}} for {{customer.name}}, {{appointment.duration}} minutes

{{appointment.startTime}}
{{#appointment.resources}}
{{appointment.resources}}
{{/appointment.resources}}${signature}`,
})

/** The template of each kind of message, until the merchant writes its own. */
export const defaultTemplates: Readonly<Record<TemplateKind, Template>> = {
  ORDER_CONFIRMATION: {
    subject: 'Your order {{order.number}} is confirmed',
    html: page(`<h1>Thank you{{#customer}}, {{name}}{{/customer}}</h1>
{{#order.paid}}<p>We have received your payment of {{order.paid}} for order <strong>{{order.number}}</strong> of {{order.placedAt}}.</p>{{/order.paid}}
{{^order.paid}}<p>We have received your order <strong>{{order.number}}</strong> of {{order.placedAt}}. There is nothing to pay.</p>{{/order.paid}}
${orderTable}
${htmlAddress}`),
    text: `Thank you{{#customer}}, {{name}}{{/customer}}

{{#order.paid}}
We have received your payment of {{order.paid}} for order {{order.number}} of {{order.placedAt}}.
{{/order.paid}}
{{^order.paid}}
We have received your order {{order.number}} of {{order.placedAt}}. There is nothing to pay.
{{/order.paid}}

${orderLines}

It goes to
${address}${signature}`,
  },
  ORDER_SHIPPED: {
    subject: 'Your order {{order.number}} is on its way',
    html: page(`<h1>On its way</h1>
<p>Order <strong>{{order.number}}</strong> has left us{{#shipment.carrier}} with {{shipment.carrier}}{{/shipment.carrier}}.</p>
{{#shipment.trackingNumber}}<p>Tracking number: <strong>{{shipment.trackingNumber}}</strong></p>{{/shipment.trackingNumber}}
{{#shipment.estimatedDelivery}}<p>It should be there on {{shipment.estimatedDelivery}}.</p>{{/shipment.estimatedDelivery}}
${htmlAddress}`),
    text: `Order {{order.number}} has left us{{#shipment.carrier}} with {{shipment.carrier}}{{/shipment.carrier}}.
{{#shipment.trackingNumber}}

Tracking number: {{shipment.trackingNumber}}
{{/shipment.trackingNumber}}
{{#shipment.estimatedDelivery}}

It should be there on {{shipment.estimatedDelivery}}.
{{/shipment.estimatedDelivery}}

It goes to
${address}${signature}`,
  },
  ORDER_REFUNDED: {
    subject: 'Your refund for order {{order.number}}',
    html: page(`<h1>Refunded</h1>
<p>We have given back <strong>{{refund.amount}}</strong> for order <strong>{{order.number}}</strong>. It can take some days until it shows up.</p>
{{#refund.reason}}<p>Reason: {{refund.reason}}</p>{{/refund.reason}}`),
    text: `We have given back {{refund.amount}} for order {{order.number}}. It can take some days until it shows up.
{{#refund.reason}}

Reason: {{refund.reason}}
{{/refund.reason}}${signature}`,
  },
  ORDER_PAYMENT_REMINDER: {
    subject: 'Your order {{order.number}} is still to be paid',
    html: page(`<h1>Still to be paid</h1>
<p>We hold order <strong>{{order.number}}</strong> for you until <strong>{{payment.dueAt}}</strong>{{#payment.method}} and wait for your payment by {{payment.method}}{{/payment.method}}. After that it is cancelled.</p>
<p>If your payment is on its way, there is nothing to do.</p>
${orderTable}`),
    text: `We hold order {{order.number}} for you until {{payment.dueAt}}{{#payment.method}} and wait for your payment by {{payment.method}}{{/payment.method}}. After that it is cancelled.

If your payment is on its way, there is nothing to do.

${orderLines}${signature}`,
  },
  ORDER_CANCELLED: {
    subject: 'Your order {{order.number}} is cancelled',
    html: page(`<h1>Cancelled</h1>
<p>Order <strong>{{order.number}}</strong> of {{order.placedAt}} is cancelled{{#cancellation.unpaid}} because your payment has not reached us in time{{/cancellation.unpaid}}.</p>
{{^cancellation.unpaid}}{{#cancellation.reason}}<p>Reason: {{cancellation.reason}}</p>{{/cancellation.reason}}{{/cancellation.unpaid}}
{{#cancellation.unpaid}}<p>If you have paid since, please write to us: {{shop.email}}</p>{{/cancellation.unpaid}}
${orderTable}`),
    text: `Order {{order.number}} of {{order.placedAt}} is cancelled{{#cancellation.unpaid}} because your payment has not reached us in time{{/cancellation.unpaid}}.
{{^cancellation.unpaid}}
{{#cancellation.reason}}

Reason: {{cancellation.reason}}
{{/cancellation.reason}}
{{/cancellation.unpaid}}
{{#cancellation.unpaid}}

If you have paid since, please write to us: {{shop.email}}
{{/cancellation.unpaid}}

${orderLines}${signature}`,
  },
  STOCK_ALERT: {
    subject: '{{product.name}} is back in stock',
    html: page(`<h1>It is back</h1>
<p><strong>{{product.name}}</strong> ({{product.sku}}) can be had again. You asked us to tell you; we do so this once.</p>`),
    text: `{{product.name}} ({{product.sku}}) can be had again. You asked us to tell you; we do so this once.${signature}`,
  },
  APPOINTMENT_BOOKED: appointmentMail('Your appointment is booked', 'Booked'),
  APPOINTMENT_MOVED: appointmentMail('Your appointment has changed', 'Changed'),
  APPOINTMENT_CANCELLED: appointmentMail('Your appointment is cancelled', 'Cancelled'),
  APPOINTMENT_REMINDER: appointmentMail('Your appointment', 'See you soon'),
  STAFF_APPOINTMENT_BOOKED: staffMail('New in your calendar'),
  STAFF_APPOINTMENT_MOVED: staffMail('Moved in your calendar'),
  STAFF_APPOINTMENT_CANCELLED: staffMail('No longer in your calendar'),
  LOW_STOCK_ALERT: {
    subject: 'Running low: {{product.name}} ({{product.sku}})',
    html: page(`<h1>Running low</h1>
<p><strong>{{product.name}}</strong> ({{product.sku}}): {{stock.available}} left. You want to know at {{stock.threshold}}.</p>`),
    text: `{{product.name}} ({{product.sku}}): {{stock.available}} left. You want to know at {{stock.threshold}}.${signature}`,
  },
  PAYMENT_DISPUTED: {
    subject: 'A payment of {{dispute.amount}} is disputed',
    html: page(`<h1>A payment is disputed</h1>
<p>The customer’s bank asks for <strong>{{dispute.amount}}</strong> back{{#dispute.orderNumber}}, which was paid for order {{dispute.orderNumber}}{{/dispute.orderNumber}}. The reason: {{dispute.reason}}.</p>
{{#dispute.evidenceDueAt}}<p>Send your evidence to the payment processor by <strong>{{dispute.evidenceDueAt}}</strong>. Without it the money is lost.</p>{{/dispute.evidenceDueAt}}`),
    text: `The customer’s bank asks for {{dispute.amount}} back{{#dispute.orderNumber}}, which was paid for order {{dispute.orderNumber}}{{/dispute.orderNumber}}. The reason: {{dispute.reason}}.{{#dispute.evidenceDueAt}} Send your evidence to the payment processor by {{dispute.evidenceDueAt}}. Without it the money is lost.{{/dispute.evidenceDueAt}}${signature}`,
  },
  SENDER_LOST: {
    subject: 'Mails no longer come from {{sender.address}}',
    html: page(`<h1>Your sender is not confirmed any more</h1>
<p>{{sender.problem}}. Until the records are back, the mails of {{shop.name}} come from the platform’s address.</p>`),
    text: `{{sender.problem}}. Until the records are back, the mails of {{shop.name}} come from the platform’s address.${signature}`,
  },
  WEBHOOK_DISABLED: {
    subject: 'Webhooks to {{endpoint.url}} are switched off',
    html: page(`<h1>An endpoint takes no webhooks</h1>
<p>{{endpoint.url}} has taken nothing since {{endpoint.failingSince}}, and is switched off. The last attempt: {{endpoint.error}}.</p>
<p>When it works again, switch it on with updateWebhookEndpoint: it then gets what waits. replayWebhookDeliveries sends what has happened since.</p>`),
    text: `{{endpoint.url}} has taken nothing since {{endpoint.failingSince}}, and is switched off. The last attempt: {{endpoint.error}}. When it works again, switch it on with updateWebhookEndpoint: it then gets what waits. replayWebhookDeliveries sends what has happened since.${signature}`,
  },
  USER_INVITATION: tokenMail({
    subject: 'You are invited to {{shop.name}}',
    why: 'Hello {{user.name}}, {{shop.name}} has invited you to work with them. Set a password to join.',
    act: 'Join {{shop.name}}',
    use: 'This is the code to join with:',
    otherwise: 'If you don’t know {{shop.name}}, there is nothing to do.',
  }),
  USER_PASSWORD_RESET: reset('user'),
  USER_EMAIL_VERIFICATION: verification('user'),
  CUSTOMER_PASSWORD_RESET: reset('customer'),
  CUSTOMER_EMAIL_VERIFICATION: verification('customer'),
}

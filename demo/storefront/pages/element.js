/**
 * An element of the page. Children are elements or texts, and texts are never read as HTML. A property that begins with
 * `on` is a listener, and null leaves a property or a child out.
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === null) continue
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
    else made.setAttribute(name, value)
  }
  made.append(...children.flat().filter((child) => child !== null))
  return made
}

/** A form's value by the name of its field. */
export const valuesOf = (form) => Object.fromEntries(new FormData(form))

/**
 * A form that does something with its values. Meanwhile it can't be sent again; if it fails, it says why.
 *
 * @param send gets the values by the names of the fields
 */
export function form(title, fields, send) {
  const message = element('p', { role: 'alert', hidden: '' })
  const button = element('button', {}, title)
  const made = element('form', { 'aria-label': title }, ...fields, message, button)
  made.addEventListener('submit', (event) => {
    event.preventDefault()
    button.disabled = true
    message.hidden = true
    send(valuesOf(made))
      .catch((error) => {
        message.textContent = error.message
        message.hidden = false
      })
      .finally(() => (button.disabled = false))
  })
  return made
}

export const field = (label, name, properties = {}) =>
  element('label', {}, label, ' ', element('input', { name, required: '', ...properties }))

/** @param options texts by value */
export const choice = (label, name, options) =>
  element(
    'label',
    {},
    label,
    ' ',
    element(
      'select',
      { name, required: '' },
      Object.entries(options).map(([value, text]) => element('option', { value }, text)),
    ),
  )

/** @param amount in minor units, as all amounts of the API */
export function money(amount, currency) {
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency })
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits)
}

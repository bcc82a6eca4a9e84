import type { ReactNode } from 'react'
import {
  Button,
  CheckboxButton,
  CheckboxField,
  type CheckboxFieldProps,
  CheckboxGroup as AriaCheckboxGroup,
  type CheckboxGroupProps,
  FieldError,
  Group,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  NumberField as AriaNumberField,
  type NumberFieldProps,
  Popover,
  SearchField as AriaSearchField,
  Select as AriaSelect,
  SelectValue,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps,
} from 'react-aria-components'
import { useText } from '../language/language.tsx'
import { Icon } from './icon.tsx'

interface Labelled {
  readonly label: string
  readonly hint?: string | undefined
}

const Hint = ({ hint }: { readonly hint: string | undefined }): ReactNode =>
  hint !== undefined && (
    <Text slot="description" className="hint">
      {hint}
    </Text>
  )

interface TextProps extends Omit<TextFieldProps, 'className' | 'children'>, Labelled {
  /** The label is there for screen readers alone. */
  readonly labelHidden?: boolean
  readonly multiline?: boolean
  readonly placeholder?: string
}

/** A field of a form. What the server has against it is shown below it. */
export const TextField = ({
  label,
  labelHidden = false,
  hint,
  multiline = false,
  placeholder,
  ...props
}: TextProps): ReactNode => (
  <AriaTextField {...props} className="field">
    <Label className={labelHidden ? 'hidden' : 'label'}>{label}</Label>
    {multiline ? (
      <TextArea className="input" {...(placeholder !== undefined && { placeholder })} />
    ) : (
      <Input className="input" {...(placeholder !== undefined && { placeholder })} />
    )}
    <Hint hint={hint} />
    <FieldError className="fault" />
  </AriaTextField>
)

interface NumberProps extends Omit<NumberFieldProps, 'className' | 'children'> {
  readonly label: string
  /** The label is there for screen readers alone. */
  readonly labelHidden?: boolean
  readonly hint?: string
}

export const NumberField = ({ label, labelHidden = false, hint, ...props }: NumberProps): ReactNode => (
  <AriaNumberField {...props} className="field">
    <Label className={labelHidden ? 'hidden' : 'label'}>{label}</Label>
    <Group className="group">
      <Button slot="decrement">
        <Icon name="minus" size={14} />
      </Button>
      <Input className="input" />
      <Button slot="increment">
        <Icon name="plus" size={14} />
      </Button>
    </Group>
    <Hint hint={hint} />
    <FieldError className="fault" />
  </AriaNumberField>
)

interface BoxProps extends Omit<CheckboxFieldProps, 'className' | 'children'> {
  /** Without a text, the box has an `aria-label`. */
  readonly children?: ReactNode
}

export const Checkbox = ({ children, ...props }: BoxProps): ReactNode => (
  <CheckboxField {...props}>
    <CheckboxButton className="checkbox">
      <span className="box">
        <Icon name="check" size={13} />
      </span>
      {children !== undefined && <span>{children}</span>}
    </CheckboxButton>
  </CheckboxField>
)

interface BoxesProps extends Omit<CheckboxGroupProps, 'className' | 'children'>, Labelled {
  readonly children: ReactNode
}

/** Boxes of which several may be ticked. What the server has against the choice is shown below them. */
export const CheckboxGroup = ({ label, hint, children, ...props }: BoxesProps): ReactNode => (
  <AriaCheckboxGroup {...props} className="field">
    <Label className="label">{label}</Label>
    {children}
    <Hint hint={hint} />
    <FieldError className="fault" />
  </AriaCheckboxGroup>
)

export interface Choice {
  readonly id: string
  readonly text: string
}

interface SelectProps extends Labelled {
  readonly choices: readonly Choice[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly name?: string
  readonly labelHidden?: boolean
}

export const Select = ({
  label,
  labelHidden = false,
  hint,
  choices,
  value,
  onChange,
  name,
}: SelectProps): ReactNode => (
  <AriaSelect
    className="field"
    value={value}
    onChange={(key) => onChange(String(key))}
    {...(name !== undefined && { name })}
  >
    <Label className={labelHidden ? 'hidden' : 'label'}>{label}</Label>
    <Button className="select-button">
      <SelectValue />
      <Icon name="chevronDown" size={15} />
    </Button>
    <Hint hint={hint} />
    <FieldError className="fault" />
    <Popover className="popover">
      <ListBox className="list" items={choices}>
        {({ id, text }) => (
          <ListBoxItem id={id} className="item">
            {text}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </AriaSelect>
)

interface SearchProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function SearchField({ label, value, onChange }: SearchProps): ReactNode {
  const t = useText()
  return (
    <AriaSearchField className="search" value={value} onChange={onChange} aria-label={label}>
      <Icon name="search" size={17} />
      <Input className="input" placeholder={label} aria-description={t('searchHint')} />
    </AriaSearchField>
  )
}

import type { ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps } from 'react-aria-components'
import { Icon, type IconName } from './icon.tsx'

interface Props extends Omit<ButtonProps, 'className' | 'children'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly icon?: IconName
  readonly children: ReactNode
}

export const Button = ({ look = 'plain', icon, children, ...props }: Props): ReactNode => (
  <AriaButton {...props} className={`button ${look}`}>
    {icon && <Icon name={icon} size={16} />}
    {children}
  </AriaButton>
)

interface IconButtonProps extends Omit<ButtonProps, 'className' | 'children'> {
  readonly icon: IconName
  readonly label: string
  readonly ref?: Ref<HTMLButtonElement>
}

export const IconButton = ({ icon, label, ...props }: IconButtonProps): ReactNode => (
  <AriaButton {...props} aria-label={label} className="button quiet icon-only">
    <Icon name={icon} />
  </AriaButton>
)

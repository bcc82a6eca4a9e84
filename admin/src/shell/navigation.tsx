import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components'
import { Link, useLocation } from 'wouter'
import { queryClient } from '../api/api.ts'
import icon from '../icon.svg'
import type { MessageName } from '../language/catalogue.ts'
import { type Language, languages, useLanguage, useText } from '../language/language.tsx'
import { session } from '../session/session.ts'
import { opensSettings } from '../settings/settings-tabs.ts'
import { Fault } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useShop } from './shop.ts'
import { type Theme, theme, themes } from './theme.ts'

interface Place {
  readonly path: string
  readonly name: MessageName
  readonly icon: IconName
  /** Whether these permissions open it. */
  readonly mayOpen: (held: ReadonlySet<string>) => boolean
}

const oneOf =
  (...permissions: readonly string[]): Place['mayOpen'] =>
  (held) =>
    permissions.some((name) => held.has(name))

const places: readonly Place[] = [
  { path: '/', name: 'home', icon: 'house', mayOpen: () => true },
  { path: '/orders', name: 'orders', icon: 'shoppingBag', mayOpen: oneOf('orders:read') },
  { path: '/products', name: 'products', icon: 'package', mayOpen: oneOf('products:read') },
  { path: '/stock', name: 'stock', icon: 'warehouse', mayOpen: oneOf('inventory:read') },
  { path: '/customers', name: 'customers', icon: 'users', mayOpen: oneOf('customers:read') },
  { path: '/jobs', name: 'jobs', icon: 'arrowLeftRight', mayOpen: oneOf('imports:read', 'exports:read') },
  { path: '/bookings', name: 'bookings', icon: 'clock', mayOpen: oneOf('booking:read') },
  { path: '/reports', name: 'reports', icon: 'scrollText', mayOpen: oneOf('analytics:read') },
  { path: '/promotions', name: 'promotions', icon: 'tag', mayOpen: oneOf('promotions:read') },
  { path: '/reviews', name: 'reviews', icon: 'star', mayOpen: oneOf('products:write') },
  { path: '/emails', name: 'emails', icon: 'inbox', mayOpen: oneOf('email:read') },
  { path: '/settings', name: 'settings', icon: 'settings', mayOpen: opensSettings },
]

/** The places that the person's roles may see. */
export function Navigation(): ReactNode {
  const t = useText()
  const shop = useShop()
  const [path] = useLocation()
  const [isStillIn, setStillIn] = useState(false)
  const shown = places.filter(({ mayOpen }) => mayOpen(shop.permissions))
  const isAt = (place: string) =>
    place === '/' ? path === '/' : path === place || path.startsWith(`${place}/`)
  return (
    <>
      <div className="brand">
        <img src={icon} alt="" />
        {shop.name}
      </div>
      <nav className="nav" aria-label={t('mainNavigation')}>
        {shown.map((place) => (
          <Link key={place.path} href={place.path} aria-current={isAt(place.path) ? 'page' : undefined}>
            <Icon name={place.icon} />
            {t(place.name)}
          </Link>
        ))}
      </nav>
      <div className="foot">
        {isStillIn && <Fault text={t('notSignedOut')} />}
        <Person onSignOut={() => void leave().then((isOut) => setStillIn(!isOut))} />
      </div>
    </>
  )
}

const themeIcons: Readonly<Record<Theme, IconName>> = { auto: 'monitor', light: 'sun', dark: 'moon' }
const themeNames = { auto: 'themeAuto', light: 'themeLight', dark: 'themeDark' } as const
const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

function Person({ onSignOut }: { readonly onSignOut: () => void }): ReactNode {
  const { t, language, choose } = useLanguage()
  const { userName, userEmail } = useShop()
  const [, go] = useLocation()
  const chosen = useSyncExternalStore(theme.subscribe, theme.current)
  const initials = userName
    .split(/\s+/)
    .map(([letter = '']) => letter)
    .join('')
    .slice(0, 2)
  return (
    <MenuTrigger>
      <Button className="button quiet person">
        <span className="avatar">{initials || <Icon name="users" size={15} />}</span>
        <span>
          <strong>{userName || t('signedIn')}</strong>
          <span className="small muted">{userEmail}</span>
        </span>
        <Icon name="ellipsis" size={16} />
      </Button>
      <Popover className="popover" placement="top start">
        <Menu
          className="list"
          onAction={(key) => {
            if (key === 'account') go('/settings/account')
            else if (key === 'sign-out') onSignOut()
            else act(String(key), choose)
          }}
        >
          <MenuSection className="list">
            <Header className="hint item-header">{t('appearance')}</Header>
            {themes.map((each) => (
              <MenuItem key={each} id={`theme:${each}`} className="item" textValue={t(themeNames[each])}>
                <Icon name={themeIcons[each]} size={16} /> {t(themeNames[each])}
                {each === chosen && <Icon name="check" size={15} />}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection className="list">
            <Header className="hint item-header">{t('language')}</Header>
            {languages.map((each) => (
              <MenuItem key={each} id={`language:${each}`} className="item" textValue={languageNames[each]}>
                <Icon name="languages" size={16} /> {languageNames[each]}
                {each === language && <Icon name="check" size={15} />}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuItem id="account" className="item" textValue={t('ownAccount')}>
            <Icon name="key" size={16} /> {t('ownAccount')}
          </MenuItem>
          <MenuItem id="sign-out" className="item danger" textValue={t('signOut')}>
            <Icon name="logOut" size={16} /> {t('signOut')}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

function act(key: string, chooseLanguage: (language: Language) => void): void {
  const [kind, value] = key.split(':')
  const nextTheme = themes.find((each) => each === value)
  const nextLanguage = languages.find((each) => each === value)
  if (kind === 'theme' && nextTheme !== undefined) theme.choose(nextTheme)
  else if (kind === 'language' && nextLanguage !== undefined) chooseLanguage(nextLanguage)
}

/** What was asked as one person is not shown to the next. */
async function leave(): Promise<boolean> {
  const isOut = await session.signOut()
  if (isOut) queryClient.clear()
  return isOut
}

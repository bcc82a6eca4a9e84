import { type ReactNode, useEffect, useState } from 'react'
import { Modal, ModalOverlay, Dialog } from 'react-aria-components'
import { useLocation } from 'wouter'
import { useApi } from '../api/api.ts'
import { OwnUserDocument, ViewerDocument } from '../generated/operations.ts'
import icon from '../icon.svg'
import { useText } from '../language/language.tsx'
import { useLive } from '../live/use-live.ts'
import { IconButton } from '../ui/button.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Navigation } from './navigation.tsx'
import { type Shop, ShopContext } from './shop.ts'

/** What is around every page: who is signed in, where one is, and the way to everything else. */
export function SignedInShell({ children }: { readonly children: ReactNode }): ReactNode {
  const viewer = useApi('viewer', ViewerDocument, {}, { partial: true })
  const id = viewer.data?.viewer.id ?? ''
  const user = useApi('viewer', OwnUserDocument, { id }, { partial: true, enabled: id !== '' })
  if (viewer.error) return <Failed error={viewer.error} retry={() => void viewer.refetch()} />
  if (viewer.data === undefined) return <Loading lines={0} />
  const { viewer: who, merchantAccount: account } = viewer.data
  const shop: Shop = {
    name: account?.name ?? '',
    currency: account?.settings.currency ?? 'USD',
    timeZone: account?.settings.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    userId: who.id,
    userName: user.data?.user?.name ?? '',
    userEmail: user.data?.user?.email ?? '',
    permissions: new Set(who.permissions),
  }
  return (
    <ShopContext value={shop}>
      <Frame shop={shop}>{children}</Frame>
    </ShopContext>
  )
}

function Frame({ shop, children }: { readonly shop: Shop; readonly children: ReactNode }): ReactNode {
  const t = useText()
  const [open, setOpen] = useState(false)
  const [path] = useLocation()
  useLive()
  useEffect(() => {
    setOpen(false)
    scrollTo(0, 0)
  }, [path])
  return (
    <div className="shell">
      <a className="button skip" href="#content">
        {t('skipToContent')}
      </a>
      <header className="sidebar">
        <Navigation />
      </header>
      <header className="topbar">
        <IconButton icon="menu" label={t('menu')} onPress={() => setOpen(true)} />
        <img src={icon} alt="" width="26" height="26" />
        {shop.name}
      </header>
      <ModalOverlay className="overlay" isOpen={open} onOpenChange={setOpen} isDismissable>
        <Modal className="drawer">
          <Dialog aria-label={t('menu')} className="dialog sidebar">
            <Navigation />
          </Dialog>
        </Modal>
      </ModalOverlay>
      <main className="main" id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

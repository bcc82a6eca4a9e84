import { type ReactNode, useContext } from 'react'
import {
  isRouteErrorResponse,
  Links,
  type LinksFunction,
  type LoaderFunctionArgs,
  Meta,
  type MiddlewareFunction,
  Outlet,
  Scripts,
  ScrollRestoration,
  useRouteError,
  useRouteLoaderData,
} from 'react-router'
import { RootDocument } from './generated/operations.ts'
import { LanguageContext, useLanguage } from './language/use-language.tsx'
import { languageOf } from './language/translate.ts'
import { ask } from './shop/ask.ts'
import { NonceContext } from './shop/nonce.ts'
import { newNonce, nonceContext } from './shop/policy.server.ts'
import { serverShop } from './shop/server-shop.server.ts'
import { shopSettings } from './shop/settings.server.ts'
import style from './ui/style.css?url'
import { Shell } from './ui/shell.tsx'

export const middleware: MiddlewareFunction<Response>[] = [
  async ({ context }, next) => {
    context.set(nonceContext, newNonce())
    return next()
  },
]

export const links: LinksFunction = () => [
  { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' },
  { rel: 'stylesheet', href: style },
]

export async function loader({ request }: LoaderFunctionArgs) {
  const { url, key, imageOrigins } = shopSettings()
  const { merchantAccount, categories } = await ask(serverShop(request), RootDocument, {}, request.signal)
  return {
    shop: { url, key, imageOrigins },
    name: merchantAccount?.name ?? '',
    categories: categories.nodes,
    language: languageOf(request),
  }
}

export type RootData = Awaited<ReturnType<typeof loader>>

/** What the root knows is asked once: it doesn't change while a visitor looks around, except by the language. */
export const shouldRevalidate = ({ formAction }: { readonly formAction?: string | undefined }): boolean =>
  formAction === '/language'

export function Layout({ children }: { readonly children: ReactNode }): ReactNode {
  const data = useRouteLoaderData<RootData>('root')
  const nonce = useContext(NonceContext)
  const language = data?.language ?? 'en'
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="shop-url" content={data?.shop.url} />
        <meta name="shop-key" content={data?.shop.key} />
        <Meta />
        <Links />
      </head>
      <body>
        <LanguageContext value={language}>
          <Shell name={data?.name ?? ''} categories={data?.categories ?? []}>
            {children}
          </Shell>
        </LanguageContext>
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  )
}

export default function Root(): ReactNode {
  return <Outlet />
}

/** The page for everything that went wrong: it says what to do, in the visitor's words. */
export function ErrorBoundary(): ReactNode {
  const error = useRouteError()
  const { t } = useLanguage()
  const status = isRouteErrorResponse(error) ? error.status : error instanceof Response ? error.status : 500
  const text =
    status === 404
      ? t('notFound')
      : status === 403
        ? t('forbidden')
        : status === 429
          ? t('tooMany')
          : status === 503
            ? t('unreachable')
            : t('failed')
  return (
    <div className="narrow">
      <title>{text}</title>
      <h1>{text}</h1>
      <p role="alert">{text}</p>
      <a className="button" href="/">
        {t('home')}
      </a>
    </div>
  )
}

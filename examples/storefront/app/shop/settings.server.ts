/** The shop that these pages sell for. */
export interface ShopSettings {
  /** The contract's endpoint, `https://…/graphql`. */
  readonly url: string
  /** A publishable key, `cg_pub_…`, bound to `origin`. Every visitor can read it. */
  readonly key: string
  /** Where these pages are, `https://shop.example`. */
  readonly origin: string
  /** Where pictures of products may be loaded from. Others are not shown. */
  readonly imageOrigins: readonly string[]
}

let settings: ShopSettings | undefined

/** Throws an Error that names the variable that is missing or wrong. */
export const shopSettings = (): ShopSettings => (settings ??= readSettings(process.env))

function readSettings(env: NodeJS.ProcessEnv): ShopSettings {
  const url = env['SHOP_URL'] ?? 'http://127.0.0.1:4000/graphql'
  if (!URL.canParse(url)) throw new Error('SHOP_URL must be the URL of /graphql')
  const key = env['SHOP_KEY'] ?? ''
  if (!key.startsWith('cg_pub_')) throw new Error('SHOP_KEY must be a publishable key, cg_pub_…')
  const { origin: shop } = new URL(url)
  const images = (env['IMAGE_ORIGINS'] ?? '').split(/[\s,]+/).filter((origin) => origin !== '')
  return {
    url,
    key,
    origin: env['ORIGIN'] ?? `http://localhost:${env['PORT'] ?? '3000'}`,
    imageOrigins: [shop, ...images],
  }
}

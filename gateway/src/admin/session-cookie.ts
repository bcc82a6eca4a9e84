/** What the cookie holds: whose session it is, and what renews it. */
export interface KeptSession {
  readonly merchantId: string
  readonly refreshToken: string
}

const cookieName = 'commerce_admin'

/** The only path that the browser sends the cookie to. */
export const sessionPath = '/admin/session'

export const isAdminSessionPath = (path: string | undefined): boolean =>
  path === sessionPath || path?.startsWith(`${sessionPath}/`) === true

/** Seconds. A user's refresh token is good for as long. */
const lifetime = 12 * 60 * 60

/** @param secure only over HTTPS: false in a test deployment, which is at http://127.0.0.1 */
export const sessionCookie = ({ merchantId, refreshToken }: KeptSession, secure: boolean): string =>
  cookie(`${merchantId}.${refreshToken}`, lifetime, secure)

export const endedCookie = (secure: boolean): string => cookie('', 0, secure)

const cookie = (value: string, maxAge: number, secure: boolean): string =>
  `${cookieName}=${value}; Path=${sessionPath}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`

const keptSession = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{1,200})$/

/** @param header the header Cookie */
export function readSession(header: string | undefined): KeptSession | undefined {
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${cookieName}=`))
  const [, merchantId, refreshToken] = keptSession.exec(pair?.slice(cookieName.length + 1) ?? '') ?? []
  return merchantId === undefined || refreshToken === undefined ? undefined : { merchantId, refreshToken }
}

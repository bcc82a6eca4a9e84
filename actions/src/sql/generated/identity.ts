// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'
import type * as cart from './cart.ts'

export type UserStatus =
  | 'ACTIVE'
  | 'INACTIVE'
  | 'SUSPENDED'
  | 'DELETED'

export type Refusal = { readonly field: string; readonly reason: 'unknown_role' | 'unknown_permission' | 'beyond_own' | 'taken' | 'last_owner' | 'built_in' | 'in_use'; readonly permission: string | null }

export interface UpdateUserArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly id: string
  readonly changes: object
}

export type UpdateUserAnswer =
  | { readonly outcome: 'changed'; readonly id: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: UserStatus }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `identity.update_user` */
export const updateUser = (caller: Caller, args: UpdateUserArguments): Promise<UpdateUserAnswer> =>
  answerOf<UpdateUserAnswer>(caller, 'identity.update_user', (sql) => sql`identity.update_user(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_id => ${args.id}::uuid,
      p_changes => ${jsonOf(sql, args.changes)}::jsonb
    )`)

export interface ChangeUserStatusArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly id: string
  readonly from: readonly string[]
  readonly to: string
}

export type ChangeUserStatusAnswer = UpdateUserAnswer

/** `identity.change_user_status` */
export const changeUserStatus = (caller: Caller, args: ChangeUserStatusArguments): Promise<ChangeUserStatusAnswer> =>
  answerOf<ChangeUserStatusAnswer>(caller, 'identity.change_user_status', (sql) => sql`identity.change_user_status(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_id => ${args.id}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)

export interface CreateRoleArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly name: string
  readonly description: string | null
  readonly permissions: readonly string[]
}

export type CreateRoleAnswer = CreateUserAnswer

/** `identity.create_role` */
export const createRole = (caller: Caller, args: CreateRoleArguments): Promise<CreateRoleAnswer> =>
  answerOf<CreateRoleAnswer>(caller, 'identity.create_role', (sql) => sql`identity.create_role(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_name => ${args.name}::text,
      p_description => ${args.description}::text,
      p_permissions => ${listOf(args.permissions)}::text[]
    )`)

export interface UpdateRoleArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly id: string
  readonly changes: object
}

export type UpdateRoleAnswer =
  | { readonly outcome: 'changed'; readonly id: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `identity.update_role` */
export const updateRole = (caller: Caller, args: UpdateRoleArguments): Promise<UpdateRoleAnswer> =>
  answerOf<UpdateRoleAnswer>(caller, 'identity.update_role', (sql) => sql`identity.update_role(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_id => ${args.id}::uuid,
      p_changes => ${jsonOf(sql, args.changes)}::jsonb
    )`)

export interface DeleteRoleArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly id: string
}

export type DeleteRoleAnswer = UpdateRoleAnswer

/** `identity.delete_role` */
export const deleteRole = (caller: Caller, args: DeleteRoleArguments): Promise<DeleteRoleAnswer> =>
  answerOf<DeleteRoleAnswer>(caller, 'identity.delete_role', (sql) => sql`identity.delete_role(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_id => ${args.id}::uuid
    )`)

export interface SignOutArguments {
  readonly merchantId: MerchantId
  readonly hash: Buffer
  readonly everywhere: boolean
}

export type SignOutAnswer = number

/** `identity.sign_out` */
export const signOut = (caller: Caller, args: SignOutArguments): Promise<SignOutAnswer> =>
  answerOf<SignOutAnswer>(caller, 'identity.sign_out', (sql) => sql`identity.sign_out(
      p_merchant_id => ${args.merchantId}::uuid,
      p_hash => ${args.hash}::bytea,
      p_everywhere => ${args.everywhere}::boolean
    )`)

export interface EndSessionArguments {
  readonly merchantId: MerchantId
  readonly sessionId: string
  readonly userId: string | null
  readonly customerId: string | null
  readonly ofCustomers: boolean
}

export type EndSessionAnswer = boolean

/** `identity.end_session` */
export const endSession = (caller: Caller, args: EndSessionArguments): Promise<EndSessionAnswer> =>
  answerOf<EndSessionAnswer>(caller, 'identity.end_session', (sql) => sql`identity.end_session(
      p_merchant_id => ${args.merchantId}::uuid,
      p_session_id => ${args.sessionId}::uuid,
      p_user_id => ${args.userId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_of_customers => ${args.ofCustomers}::boolean
    )`)

export interface BlockCustomerArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
  readonly reason: string
}

export type BlockCustomerAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'unknown_customer' }
  | { readonly outcome: 'anonymized' }

/** `identity.block_customer` */
export const blockCustomer = (caller: Caller, args: BlockCustomerArguments): Promise<BlockCustomerAnswer> =>
  answerOf<BlockCustomerAnswer>(caller, 'identity.block_customer', (sql) => sql`identity.block_customer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_reason => ${args.reason}::text
    )`)

export interface UnblockCustomerArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
}

export type UnblockCustomerAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'unknown_customer' }

/** `identity.unblock_customer` */
export const unblockCustomer = (caller: Caller, args: UnblockCustomerArguments): Promise<UnblockCustomerAnswer> =>
  answerOf<UnblockCustomerAnswer>(caller, 'identity.unblock_customer', (sql) => sql`identity.unblock_customer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid
    )`)

export interface RegisterCustomerArguments {
  readonly merchantId: MerchantId
  readonly email: string
  readonly name: string
  readonly phone: string | null
  readonly marketingOptIn: boolean
  readonly passwordHash: string
}

export type RegisterCustomerAnswer =
  | { readonly outcome: 'registered'; readonly id: string }
  | { readonly outcome: 'taken' }

/** `identity.register_customer` */
export const registerCustomer = (caller: Caller, args: RegisterCustomerArguments): Promise<RegisterCustomerAnswer> =>
  answerOf<RegisterCustomerAnswer>(caller, 'identity.register_customer', (sql) => sql`identity.register_customer(
      p_merchant_id => ${args.merchantId}::uuid,
      p_email => ${args.email}::text,
      p_name => ${args.name}::text,
      p_phone => ${args.phone}::text,
      p_marketing_opt_in => ${args.marketingOptIn}::boolean,
      p_password_hash => ${args.passwordHash}::text
    )`)

export interface SetPasswordArguments {
  readonly merchantId: MerchantId
  readonly userId: string | null
  readonly customerId: string | null
  readonly passwordHash: string
}

export type SetPasswordAnswer = void

/** `identity.set_password` */
export const setPassword = (caller: Caller, args: SetPasswordArguments): Promise<SetPasswordAnswer> =>
  answerOf<SetPasswordAnswer>(caller, 'identity.set_password', (sql) => sql`identity.set_password(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_password_hash => ${args.passwordHash}::text
    )`)

export interface VerifyEmailArguments {
  readonly merchantId: MerchantId
  readonly hash: Buffer
}

export type VerifyEmailAnswer = boolean

/** `identity.verify_email` */
export const verifyEmail = (caller: Caller, args: VerifyEmailArguments): Promise<VerifyEmailAnswer> =>
  answerOf<VerifyEmailAnswer>(caller, 'identity.verify_email', (sql) => sql`identity.verify_email(
      p_merchant_id => ${args.merchantId}::uuid,
      p_hash => ${args.hash}::bytea
    )`)

export interface ResetPasswordArguments {
  readonly merchantId: MerchantId
  readonly hash: Buffer
  readonly passwordHash: string
  readonly joinFrom: readonly string[]
  readonly joinTo: string
}

export type ResetPasswordAnswer = boolean

/** `identity.reset_password` */
export const resetPassword = (caller: Caller, args: ResetPasswordArguments): Promise<ResetPasswordAnswer> =>
  answerOf<ResetPasswordAnswer>(caller, 'identity.reset_password', (sql) => sql`identity.reset_password(
      p_merchant_id => ${args.merchantId}::uuid,
      p_hash => ${args.hash}::bytea,
      p_password_hash => ${args.passwordHash}::text,
      p_join_from => ${listOf(args.joinFrom)}::text[],
      p_join_to => ${args.joinTo}::text
    )`)

export interface EnrollTotpArguments {
  readonly merchantId: MerchantId
  readonly userId: string
  readonly secret: string
}

export type EnrollTotpAnswer = boolean

/** `identity.enroll_totp` */
export const enrollTotp = (caller: Caller, args: EnrollTotpArguments): Promise<EnrollTotpAnswer> =>
  answerOf<EnrollTotpAnswer>(caller, 'identity.enroll_totp', (sql) => sql`identity.enroll_totp(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid,
      p_secret => ${args.secret}::text
    )`)

export interface ConfirmTotpArguments {
  readonly merchantId: MerchantId
  readonly userId: string
  readonly counter: number
  readonly recoveryHashes: readonly string[]
}

export type ConfirmTotpAnswer = boolean

/** `identity.confirm_totp` */
export const confirmTotp = (caller: Caller, args: ConfirmTotpArguments): Promise<ConfirmTotpAnswer> =>
  answerOf<ConfirmTotpAnswer>(caller, 'identity.confirm_totp', (sql) => sql`identity.confirm_totp(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid,
      p_counter => ${args.counter}::bigint,
      p_recovery_hashes => ${listOf(args.recoveryHashes)}::text[]
    )`)

export interface UseTotpArguments {
  readonly merchantId: MerchantId
  readonly userId: string
  readonly counter: number
}

export type UseTotpAnswer = boolean

/** `identity.use_totp` */
export const useTotp = (caller: Caller, args: UseTotpArguments): Promise<UseTotpAnswer> =>
  answerOf<UseTotpAnswer>(caller, 'identity.use_totp', (sql) => sql`identity.use_totp(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid,
      p_counter => ${args.counter}::bigint
    )`)

export interface UseRecoveryCodeArguments {
  readonly merchantId: MerchantId
  readonly userId: string
  readonly hash: Buffer
}

export type UseRecoveryCodeAnswer = boolean

/** `identity.use_recovery_code` */
export const useRecoveryCode = (caller: Caller, args: UseRecoveryCodeArguments): Promise<UseRecoveryCodeAnswer> =>
  answerOf<UseRecoveryCodeAnswer>(caller, 'identity.use_recovery_code', (sql) => sql`identity.use_recovery_code(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid,
      p_hash => ${args.hash}::bytea
    )`)

export interface RequiresMfaArguments {
  readonly merchantId: MerchantId
}

export type RequiresMfaAnswer = boolean

/** `identity.requires_mfa`: Whether the merchant requires authenticators.  */
export const requiresMfa = (caller: Caller, args: RequiresMfaArguments): Promise<RequiresMfaAnswer> =>
  answerOf<RequiresMfaAnswer>(caller, 'identity.requires_mfa', (sql) => sql`identity.requires_mfa(
      p_merchant_id => ${args.merchantId}::uuid
    )`)

export interface LacksMfaArguments {
  readonly merchantId: MerchantId
  readonly userId: string
}

export type LacksMfaAnswer = boolean

/** `identity.lacks_mfa`: Whether the user has to set up an authenticator before it has any permission.  */
export const lacksMfa = (caller: Caller, args: LacksMfaArguments): Promise<LacksMfaAnswer> =>
  answerOf<LacksMfaAnswer>(caller, 'identity.lacks_mfa', (sql) => sql`identity.lacks_mfa(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid
    )`)

export interface RemoveTotpArguments {
  readonly merchantId: MerchantId
  readonly userId: string
}

export type RemoveTotpAnswer = void

/** `identity.remove_totp` */
export const removeTotp = (caller: Caller, args: RemoveTotpArguments): Promise<RemoveTotpAnswer> =>
  answerOf<RemoveTotpAnswer>(caller, 'identity.remove_totp', (sql) => sql`identity.remove_totp(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid
    )`)

export interface ResetTotpArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly id: string
}

export type ResetTotpAnswer = UpdateRoleAnswer

/** `identity.reset_totp` */
export const resetTotp = (caller: Caller, args: ResetTotpArguments): Promise<ResetTotpAnswer> =>
  answerOf<ResetTotpAnswer>(caller, 'identity.reset_totp', (sql) => sql`identity.reset_totp(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_id => ${args.id}::uuid
    )`)

export interface BeginSignInArguments {
  readonly merchantId: MerchantId
  readonly subject: string
  readonly email: string
  readonly client: string | null
  readonly ofClient: { readonly free: number; readonly block: Seconds }
  readonly ofAll: { readonly free: number; readonly block: Seconds }
  readonly longest: Seconds
}

export type BeginSignInAnswer =
  | { readonly outcome: 'blocked'; readonly seconds: number }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'known'; readonly id: string; readonly passwordHash: string; readonly totpSecret: string | null }

/** `identity.begin_sign_in` */
export const beginSignIn = (caller: Caller, args: BeginSignInArguments): Promise<BeginSignInAnswer> =>
  answerOf<BeginSignInAnswer>(caller, 'identity.begin_sign_in', (sql) => sql`identity.begin_sign_in(
      p_merchant_id => ${args.merchantId}::uuid,
      p_subject => ${args.subject}::text,
      p_email => ${args.email}::text,
      p_client => ${args.client}::text,
      p_of_client => ROW(${args.ofClient.free}::integer, make_interval(secs => ${args.ofClient.block}))::identity.attempt_limit,
      p_of_all => ROW(${args.ofAll.free}::integer, make_interval(secs => ${args.ofAll.block}))::identity.attempt_limit,
      p_longest => make_interval(secs => ${args.longest})
    )`)

export interface CreateUserArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly email: string
  readonly name: string | null
  readonly phone: string | null
  readonly roleIds: readonly string[]
}

export type CreateUserAnswer =
  | { readonly outcome: 'changed'; readonly id: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `identity.create_user` */
export const createUser = (caller: Caller, args: CreateUserArguments): Promise<CreateUserAnswer> =>
  answerOf<CreateUserAnswer>(caller, 'identity.create_user', (sql) => sql`identity.create_user(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_email => ${args.email}::text,
      p_name => ${args.name}::text,
      p_phone => ${args.phone}::text,
      p_role_ids => ${listOf(args.roleIds)}::uuid[]
    )`)

export interface GuestOfOrderArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
}

export type GuestOfOrderAnswer =
  | string | null

/** `identity.guest_of_order`: The guest who placed an order and may still act on it; NULL: no such guest.  */
export const guestOfOrder = (caller: Caller, args: GuestOfOrderArguments): Promise<GuestOfOrderAnswer> =>
  answerOf<GuestOfOrderAnswer>(caller, 'identity.guest_of_order', (sql) => sql`identity.guest_of_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid
    )`)

export interface IssueOneTimeTokenArguments {
  readonly merchantId: MerchantId
  readonly purpose: string
  readonly userId: string | null
  readonly customerId: string | null
  readonly token: string | null
  readonly hash: Buffer
  readonly lifetime: Seconds
  readonly pause: Seconds
}

export type IssueOneTimeTokenAnswer = boolean

/** `identity.issue_one_time_token`: @param p_token sealed, to be mailed; NULL: it is handed over in another way  */
export const issueOneTimeToken = (caller: Caller, args: IssueOneTimeTokenArguments): Promise<IssueOneTimeTokenAnswer> =>
  answerOf<IssueOneTimeTokenAnswer>(caller, 'identity.issue_one_time_token', (sql) => sql`identity.issue_one_time_token(
      p_merchant_id => ${args.merchantId}::uuid,
      p_purpose => ${args.purpose}::text,
      p_user_id => ${args.userId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_token => ${args.token}::text,
      p_hash => ${args.hash}::bytea,
      p_lifetime => make_interval(secs => ${args.lifetime}),
      p_pause => make_interval(secs => ${args.pause})
    )`)

export interface OpenBackendSessionArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
  readonly client: string | null
  readonly device: string | null
  readonly openedBy: object | null
  readonly lifetime: Seconds
}

export type OpenBackendSessionAnswer =
  | { readonly outcome: 'opened'; readonly id: string }
  | { readonly outcome: 'unknown_customer' }
  | { readonly outcome: 'anonymized' }
  | { readonly outcome: 'blocked' }

/** `identity.open_backend_session` */
export const openBackendSession = (caller: Caller, args: OpenBackendSessionArguments): Promise<OpenBackendSessionAnswer> =>
  answerOf<OpenBackendSessionAnswer>(caller, 'identity.open_backend_session', (sql) => sql`identity.open_backend_session(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_client => ${args.client}::text,
      p_device => ${args.device}::text,
      p_opened_by => ${jsonOf(sql, args.openedBy)}::jsonb,
      p_lifetime => make_interval(secs => ${args.lifetime})
    )`)

export interface OpenSessionArguments {
  readonly merchantId: MerchantId
  readonly subject: string
  readonly id: string
  readonly client: string | null
  readonly device: string | null
  readonly openedBy: object | null
  readonly refreshHash: Buffer
  readonly refreshLifetime: Seconds
  readonly sessionLifetime: Seconds
}

export type OpenSessionAnswer =
  | string | null

/** `identity.open_session` */
export const openSession = (caller: Caller, args: OpenSessionArguments): Promise<OpenSessionAnswer> =>
  answerOf<OpenSessionAnswer>(caller, 'identity.open_session', (sql) => sql`identity.open_session(
      p_merchant_id => ${args.merchantId}::uuid,
      p_subject => ${args.subject}::text,
      p_id => ${args.id}::uuid,
      p_client => ${args.client}::text,
      p_device => ${args.device}::text,
      p_opened_by => ${jsonOf(sql, args.openedBy)}::jsonb,
      p_refresh_hash => ${args.refreshHash}::bytea,
      p_refresh_lifetime => make_interval(secs => ${args.refreshLifetime}),
      p_session_lifetime => make_interval(secs => ${args.sessionLifetime})
    )`)

export interface MerchantsToPurgeArguments {
  readonly limit: number
  readonly sessionsKept: Seconds
}

export type MerchantsToPurgeAnswer = { readonly merchantId: MerchantId }

/** `identity.merchants_to_purge`: Merchants with rows that identity.purge_expired deletes or looks at.  */
export const merchantsToPurge = (sql: Queryable, args: MerchantsToPurgeArguments): Promise<readonly MerchantsToPurgeAnswer[]> =>
  rowsOf<MerchantsToPurgeAnswer>(sql`SELECT merchant_id AS "merchantId" FROM identity.merchants_to_purge(
      p_limit => ${args.limit}::integer,
      p_sessions_kept => make_interval(secs => ${args.sessionsKept})
    )`)

export interface PurgeExpiredArguments {
  readonly merchantId: MerchantId
  readonly limit: number
  readonly sessionsKept: Seconds
}

export type PurgeExpiredAnswer = number

/** `identity.purge_expired`: p_sessions_kept: how long an ended session stays, a day at least: so long, a refresh token that comes back late is known from an unknown one.  */
export const purgeExpired = (caller: Caller, args: PurgeExpiredArguments): Promise<PurgeExpiredAnswer> =>
  answerOf<PurgeExpiredAnswer>(caller, 'identity.purge_expired', (sql) => sql`identity.purge_expired(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer,
      p_sessions_kept => make_interval(secs => ${args.sessionsKept})
    )`)

export interface RotateRefreshTokenArguments {
  readonly merchantId: MerchantId
  readonly hash: Buffer
  readonly nextHash: Buffer
  readonly userLifetime: Seconds
  readonly customerLifetime: Seconds
}

export type RotateRefreshTokenAnswer =
  | { readonly outcome: 'rotated'; readonly sessionId: string; readonly subject: 'USER' | 'CUSTOMER'; readonly id: string }
  | { readonly outcome: 'refused' }

/** `identity.rotate_refresh_token` */
export const rotateRefreshToken = (caller: Caller, args: RotateRefreshTokenArguments): Promise<RotateRefreshTokenAnswer> =>
  answerOf<RotateRefreshTokenAnswer>(caller, 'identity.rotate_refresh_token', (sql) => sql`identity.rotate_refresh_token(
      p_merchant_id => ${args.merchantId}::uuid,
      p_hash => ${args.hash}::bytea,
      p_next_hash => ${args.nextHash}::bytea,
      p_user_lifetime => make_interval(secs => ${args.userLifetime}),
      p_customer_lifetime => make_interval(secs => ${args.customerLifetime})
    )`)

export interface SetRoleArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly userId: string
  readonly roleId: string
  readonly held: boolean
}

export type SetRoleAnswer = UpdateUserAnswer

/** `identity.set_role` */
export const setRole = (caller: Caller, args: SetRoleArguments): Promise<SetRoleAnswer> =>
  answerOf<SetRoleAnswer>(caller, 'identity.set_role', (sql) => sql`identity.set_role(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_user_id => ${args.userId}::uuid,
      p_role_id => ${args.roleId}::uuid,
      p_held => ${args.held}::boolean
    )`)

export interface StartGuestCheckoutArguments {
  readonly merchantId: MerchantId
  readonly cartId: string
  readonly secretHash: Buffer | null
  readonly email: string
  readonly name: string
  readonly phone: string | null
}

export type StartGuestCheckoutAnswer =
  | cart.Stays
  | { readonly outcome: 'started'; readonly customerId: string }

/** `identity.start_guest_checkout`: Gives a guest's cart to a new customer without an account. Whether the address has an account is not looked at, so neither the answer nor its time tells.  */
export const startGuestCheckout = (caller: Caller, args: StartGuestCheckoutArguments): Promise<StartGuestCheckoutAnswer> =>
  answerOf<StartGuestCheckoutAnswer>(caller, 'identity.start_guest_checkout', (sql) => sql`identity.start_guest_checkout(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cart_id => ${args.cartId}::uuid,
      p_secret_hash => ${args.secretHash}::bytea,
      p_email => ${args.email}::text,
      p_name => ${args.name}::text,
      p_phone => ${args.phone}::text
    )`)

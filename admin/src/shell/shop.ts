import { createContext, useContext } from 'react'

/** Who is signed in, where, and what that person may. */
export interface Shop {
  readonly name: string
  readonly currency: string
  readonly timeZone: string
  readonly userId: string
  readonly userName: string
  readonly userEmail: string
  readonly permissions: ReadonlySet<string>
}

export const ShopContext = createContext<Shop | null>(null)

export function useShop(): Shop {
  const shop = useContext(ShopContext)
  if (shop === null) throw new Error('Nobody is signed in here')
  return shop
}

/** Whether the person's roles have the permission. The server decides; this hides what it would refuse. */
export const useMay = (permission: string): boolean => useShop().permissions.has(permission)

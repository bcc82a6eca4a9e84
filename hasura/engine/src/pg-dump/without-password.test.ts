import { expect, test } from 'vitest'
import { withoutPassword } from './without-password.ts'

test.each([
  ['postgres://shop:p%40ss@db:5432/shop', 'postgres://shop@db:5432/shop'],
  ['postgres://shop:p%40ss@/shop?host=/run/postgresql', 'postgres://shop@/shop?host=/run/postgresql'],
  [
    'postgres://shop@db/shop?password=p%40ss&options=-c%20a%3Db%2Bc',
    'postgres://shop@db/shop?options=-c%20a%3Db%2Bc',
  ],
])('the password is removed from any place: %s', (given, url) => {
  expect(withoutPassword(given)).toEqual({ url, password: 'p@ss' })
})

test.each(['postgres://shop@db/shop', 'postgres://db/shop?options=-c%20a%3Db', 'postgres:///shop'])(
  'a URL without a password stays unchanged: %s',
  (url) => {
    expect(withoutPassword(url)).toEqual({ url, password: undefined })
  },
)

import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { type RequestHandler, Router } from 'express'
import Mustache from 'mustache'
import { z } from 'zod'
import type { Database } from '../database.ts'
import * as email from '../sql/generated/email.ts'

/**
 * The page behind the link of a campaign's mail: `GET /:token` asks the reader, and `POST /:token` unsubscribes.
 * Mailboxes post by themselves as well (RFC 8058). The token is the permission, and a mail scanner that only follows
 * links gets the question.
 */
export function unsubscribePages(database: Database): Router {
  const router = Router()
  router.get(
    '/:token',
    page(async (token) => (await shopOf(database, token))?.name ?? null, question),
  )
  router.post(
    '/:token',
    page((token) => unsubscribe(database, token), done),
  )
  return router
}

async function shopOf(database: Database, token: string): Promise<email.UnsubscribesFromAnswer | undefined> {
  const [shop] = await email.unsubscribesFrom(database, { token })
  return shop
}

/** Returns the name of the shop, whose scope the change is made in; null if there is no such token. */
async function unsubscribe(database: Database, token: string): Promise<string | null> {
  const shop = await shopOf(database, token)
  if (shop === undefined) return null
  const { merchantId, name } = shop
  await email.unsubscribe(forMerchant(database, merchantId), { merchantId, token })
  return name
}

const page =
  (shopOf: (token: string) => Promise<string | null>, content: string): RequestHandler =>
  async (request, response) => {
    const token = z.guid().safeParse(request.params['token'])
    const shop = token.success ? await shopOf(token.data) : null
    response.set(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    response.set('x-frame-options', 'DENY')
    response.set('referrer-policy', 'no-referrer')
    response
      .status(shop === null ? 404 : 200)
      .type('html')
      .send(
        new Mustache.Writer().render(
          pageFrame,
          { content: shop === null ? unknown : null, shop },
          { body: shop === null ? '{{content}}' : content },
        ),
      )
  }

const pageFrame = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title></head>
<body style="max-width:32rem;margin:4rem auto;padding:0 1rem;font-family:system-ui,sans-serif">
{{> body}}
</body>
</html>
`
const question = `<h1>{{shop}}</h1>
<p>Do you want no more marketing e-mail from {{shop}}? Messages about your orders and appointments still come.</p>
<form method="post"><button>Unsubscribe</button></form>
`
const done = `<h1>{{shop}}</h1>
<p>You are unsubscribed.</p>
`
const unknown = 'This link is unknown.'

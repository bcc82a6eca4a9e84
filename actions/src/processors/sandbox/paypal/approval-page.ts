import { page } from '../authentication-page.ts'

/** The page on which a tester plays PayPal's customer. */
export const approvalPage = (amount: string): string =>
  page(
    'PayPal test page',
    `<p>A payment of ${amount}. Decide how it goes.</p>
    <form method="post">
      <button name="outcome" value="approve">Approve</button>
      <button name="outcome" value="cancel">Cancel</button>
      <button name="outcome" value="decline">Approve, with a card that is declined</button>
      <button name="outcome" value="pending">Approve, by a bank that takes a second</button>
      <button name="outcome" value="dispute">Approve, and complain at once</button>
    </form>`,
  )

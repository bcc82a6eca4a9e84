import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { Route, Router, Switch } from 'wouter'
import { useText } from './language/language.tsx'
import { session } from './session/session.ts'
import { SignInPage } from './session/sign-in-page.tsx'
import { UnreachablePage } from './session/unreachable-page.tsx'
import { SignedInShell } from './shell/signed-in-shell.tsx'
import { Empty, Loading } from './ui/states.tsx'

// Each part of the admin is loaded when it is first opened.
const EnrolPage = lazy(() => import('./session/enrol-page.tsx'))
const HomePage = lazy(() => import('./home/home-page.tsx'))
const OrdersPage = lazy(() => import('./orders/orders-page.tsx'))
const PrintPage = lazy(() => import('./orders/print-page.tsx'))
const OrderPage = lazy(() => import('./orders/order-page.tsx'))
const ProductsPage = lazy(() => import('./products/products-page.tsx'))
const NewProductPage = lazy(() => import('./products/new-product-page.tsx'))
const BulkPage = lazy(() => import('./products/bulk-page.tsx'))
const ProductPage = lazy(() => import('./products/product-page.tsx'))
const CategoriesPage = lazy(() => import('./categories/categories-page.tsx'))
const JobsPage = lazy(() => import('./jobs/jobs-page.tsx'))
const ImportPage = lazy(() => import('./jobs/import-page.tsx'))
const StockPage = lazy(() => import('./stock/stock-page.tsx'))
const CustomersPage = lazy(() => import('./customers/customers-page.tsx'))
const SegmentsPage = lazy(() => import('./customers/segments-page.tsx'))
const SegmentPage = lazy(() => import('./customers/segment-page.tsx'))
const CustomerPage = lazy(() => import('./customers/customer-page.tsx'))
const BookingsPage = lazy(() => import('./bookings/bookings-page.tsx'))
const ServicesPage = lazy(() => import('./bookings/services-page.tsx'))
const ServicePage = lazy(() => import('./bookings/service-page.tsx'))
const StaffPage = lazy(() => import('./bookings/staff-page.tsx'))
const StaffMemberPage = lazy(() => import('./bookings/staff-member-page.tsx'))
const ResourcesPage = lazy(() => import('./bookings/resources-page.tsx'))
const ResourcePage = lazy(() => import('./bookings/resource-page.tsx'))
const ReportsPage = lazy(() => import('./reports/reports-page.tsx'))
const DashboardPage = lazy(() => import('./reports/dashboard-page.tsx'))
const PromotionsPage = lazy(() => import('./promotions/promotions-page.tsx'))
const PromotionPage = lazy(() => import('./promotions/promotion-page.tsx'))
const ReviewsPage = lazy(() => import('./reviews/reviews-page.tsx'))
const EmailsPage = lazy(() => import('./emails/emails-page.tsx'))
const CampaignsPage = lazy(() => import('./emails/campaigns-page.tsx'))
const CampaignPage = lazy(() => import('./emails/campaign-page.tsx'))
const NewCampaignPage = lazy(() => import('./emails/new-campaign-page.tsx'))
const EmailTemplatePage = lazy(() => import('./emails/email-template-page.tsx'))
const SettingsPage = lazy(() => import('./settings/settings-page.tsx'))

export function App(): ReactNode {
  const state = useSyncExternalStore(session.subscribe, session.current)
  switch (state.kind) {
    case 'asking':
      return <Loading lines={0} />
    case 'unreachable':
      return <UnreachablePage />
    case 'out':
      return <SignInPage ended={state.ended} />
    case 'in':
      return state.mfaRequired ? (
        <Suspense fallback={<Loading lines={0} />}>
          <EnrolPage />
        </Suspense>
      ) : (
        <Router base="/admin">
          <SignedInShell>
            <Suspense fallback={<Loading />}>
              <Pages />
            </Suspense>
          </SignedInShell>
        </Router>
      )
    default:
      return state satisfies never
  }
}

const Pages = (): ReactNode => (
  <Switch>
    <Route path="/" component={HomePage} />
    <Route path="/orders" component={OrdersPage} />
    <Route path="/orders/print/:kind">{({ kind }) => <PrintPage kind={kind} />}</Route>
    <Route path="/orders/:id">{({ id }) => <OrderPage key={id} id={id} />}</Route>
    <Route path="/products" component={ProductsPage} />
    <Route path="/products/new" component={NewProductPage} />
    <Route path="/products/bulk" component={BulkPage} />
    <Route path="/products/categories" component={CategoriesPage} />
    <Route path="/products/:id">{({ id }) => <ProductPage key={id} id={id} />}</Route>
    <Route path="/stock/:tab?">{({ tab }) => <StockPage tab={tab} />}</Route>
    <Route path="/jobs/imports/:id">{({ id }) => <ImportPage key={id} id={id} />}</Route>
    <Route path="/jobs/:tab?">{({ tab }) => <JobsPage tab={tab} />}</Route>
    <Route path="/customers" component={CustomersPage} />
    <Route path="/customers/segments" component={SegmentsPage} />
    <Route path="/customers/segments/:id">{({ id }) => <SegmentPage key={id} id={id} />}</Route>
    <Route path="/customers/:id">{({ id }) => <CustomerPage key={id} id={id} />}</Route>
    <Route path="/bookings">{() => <BookingsPage view="day" />}</Route>
    <Route path="/bookings/week">{() => <BookingsPage view="week" />}</Route>
    <Route path="/bookings/services" component={ServicesPage} />
    <Route path="/bookings/services/new">{() => <ServicePage id={null} />}</Route>
    <Route path="/bookings/services/:id">{({ id }) => <ServicePage key={id} id={id} />}</Route>
    <Route path="/bookings/staff" component={StaffPage} />
    <Route path="/bookings/staff/new">{() => <StaffMemberPage id={null} />}</Route>
    <Route path="/bookings/staff/:id">{({ id }) => <StaffMemberPage key={id} id={id} />}</Route>
    <Route path="/bookings/resources" component={ResourcesPage} />
    <Route path="/bookings/resources/new">{() => <ResourcePage id={null} />}</Route>
    <Route path="/bookings/resources/:id">{({ id }) => <ResourcePage key={id} id={id} />}</Route>
    <Route path="/reports" component={ReportsPage} />
    <Route path="/reports/:id">{({ id }) => <DashboardPage key={id} id={id} />}</Route>
    <Route path="/reviews" component={ReviewsPage} />
    <Route path="/emails" component={EmailsPage} />
    <Route path="/emails/campaigns" component={CampaignsPage} />
    <Route path="/emails/campaigns/new" component={NewCampaignPage} />
    <Route path="/emails/campaigns/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
    <Route path="/emails/:kind">{({ kind }) => <EmailTemplatePage key={kind} kind={kind} />}</Route>
    <Route path="/promotions/new">{() => <PromotionPage id={null} />}</Route>
    <Route path="/promotions/edit/:id">{({ id }) => <PromotionPage key={id} id={id} />}</Route>
    <Route path="/promotions/:tab?">{({ tab }) => <PromotionsPage tab={tab} />}</Route>
    <Route path="/settings/:tab?">{({ tab }) => <SettingsPage tab={tab} />}</Route>
    <Route component={Lost} />
  </Switch>
)

function Lost(): ReactNode {
  const t = useText()
  return <Empty icon="search" title={t('lostTitle')} text={t('lostText')} />
}

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  readAuditSearch,
  readCampaignSearch,
  readCampaignsSearch,
  readComposeSearch,
  readExplainSearch,
  readImpactSearch,
  readInboxSearch,
  readLogSearch,
  readNameSearch,
  readPeopleSearch,
  readPersonSearch,
  readProvidersSearch,
  readStartSearch,
  readTemplateSearch,
  readWebhookSearch,
  readWebhooksSearch,
} from './pages/search.ts'
import { NotFound, PageError, RoutePending } from './shell/PageStates.tsx'
import { Root } from './shell/Shell.tsx'

const root = createRootRoute({ component: Root, notFoundComponent: NotFound })

const apps = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: readNameSearch,
  component: lazyRouteComponent(() => import('./pages/apps/AppsPage.tsx'), 'AppsPage'),
})

const app = createRoute({ getParentRoute: () => root, path: 'apps/$appId', component: Outlet })

const appIndex = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/apps/$appId/overview', params, replace: true })
  },
})

/**
 * Leads to the first steps of the app. Their service worker opens this address, its scope, when the operator clicks the notification of the first
 * push and no page of the dashboard is open.
 */
const tryOut = createRoute({
  getParentRoute: () => root,
  path: 'try-out/$appId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/apps/$appId/start', params, replace: true })
  },
})

/**
 * Makes the route of a page below `/apps/<id>`. `read` reads the search parameters of the address; `load` loads the code of the page, which exports
 * the page under `name`.
 */
const page = <const Path extends string, Search extends object, Name extends string>(
  path: Path,
  read: (raw: Record<string, unknown>) => Search,
  load: () => Promise<Record<Name, () => ReactNode>>,
  name: Name,
) =>
  createRoute({
    getParentRoute: () => app,
    path,
    validateSearch: read,
    component: lazyRouteComponent<Record<string, () => ReactNode>, string>(load, name),
  })

const readNothing = () => ({})

const start = page('start', readStartSearch, () => import('./pages/start/StartPage.tsx'), 'StartPage')
const overview = page('overview', readNothing, () => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage')
const compose = page('compose', readComposeSearch, () => import('./pages/compose/ComposePage.tsx'), 'ComposePage')
// A new message and a stored draft have one page, because a message becomes a stored draft while the operator writes.
const composeDraft = createRoute({ getParentRoute: () => compose, path: '$campaignId' })
const campaigns = page('campaigns', readCampaignsSearch, () => import('./pages/campaigns/CampaignsPage.tsx'), 'CampaignsPage')
const campaign = page('campaigns/$campaignId', readCampaignSearch, () => import('./pages/campaign/CampaignPage.tsx'), 'CampaignPage')
const people = page('people', readPeopleSearch, () => import('./pages/people/PeoplePage.tsx'), 'PeoplePage')
const person = page('people/$userId', readPersonSearch, () => import('./pages/person/PersonPage.tsx'), 'PersonPage')
const segments = page('segments', readNameSearch, () => import('./pages/segments/SegmentsPage.tsx'), 'SegmentsPage')
const segment = page('segments/$segmentId', readNothing, () => import('./pages/segment/SegmentPage.tsx'), 'SegmentPage')
const templates = page('templates', readNameSearch, () => import('./pages/templates/TemplatesPage.tsx'), 'TemplatesPage')
const template = page('templates/$templateId', readTemplateSearch, () => import('./pages/template/TemplatePage.tsx'), 'TemplatePage')
const categories = page('categories', readNothing, () => import('./pages/categories/CategoriesPage.tsx'), 'CategoriesPage')
const impact = page('impact', readImpactSearch, () => import('./pages/impact/ImpactPage.tsx'), 'ImpactPage')
const log = page('log', readLogSearch, () => import('./pages/log/LogPage.tsx'), 'LogPage')
const explain = page('explain', readExplainSearch, () => import('./pages/explain/ExplainPage.tsx'), 'ExplainPage')
const providers = page('providers', readProvidersSearch, () => import('./pages/providers/ProvidersPage.tsx'), 'ProvidersPage')
const keys = page('keys', readNothing, () => import('./pages/keys/KeysPage.tsx'), 'KeysPage')
const webhooks = page('webhooks', readWebhooksSearch, () => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage')
const webhook = page('webhooks/$webhookId', readWebhookSearch, () => import('./pages/webhook/WebhookPage.tsx'), 'WebhookPage')
const settings = page('settings', readNothing, () => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage')
const audit = page('audit', readAuditSearch, () => import('./pages/audit/AuditPage.tsx'), 'AuditPage')
const inbox = page('inbox', readInboxSearch, () => import('./pages/inbox/InboxPage.tsx'), 'InboxPage')

const pages = [
  apps,
  tryOut,
  app.addChildren([
    appIndex,
    start,
    overview,
    compose.addChildren([composeDraft]),
    campaigns,
    campaign,
    people,
    person,
    segments,
    segment,
    templates,
    template,
    categories,
    impact,
    log,
    explain,
    providers,
    keys,
    webhooks,
    webhook,
    settings,
    audit,
    inbox,
  ]),
] as const

/** All pages by their paths. The code of a page is loaded when the page is opened, or when the mouse or the focus is on a link to the page. */
export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPendingComponent: RoutePending,
  defaultPendingMs: 200,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

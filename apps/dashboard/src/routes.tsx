import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { validateAppsSearch } from './pages/apps/search.ts'
import { validateAuditSearch } from './pages/audit/search.ts'
import { validateCampaignSearch } from './pages/campaign/search.ts'
import { validateCampaignsSearch } from './pages/campaigns/search.ts'
import { validateComposeSearch } from './pages/compose/search.ts'
import { validateExplainSearch } from './pages/explain/search.ts'
import { validateInboxSearch } from './pages/inbox/search.ts'
import { validateKeysSearch } from './pages/keys/search.ts'
import { validateLogSearch } from './pages/log/search.ts'
import { validateOverviewSearch } from './pages/overview/search.ts'
import { validatePeopleSearch } from './pages/people/search.ts'
import { validatePersonSearch } from './pages/person/search.ts'
import { validateProvidersSearch } from './pages/providers/search.ts'
import { validateSegmentSearch } from './pages/segment/search.ts'
import { validateSegmentsSearch } from './pages/segments/search.ts'
import { validateSettingsSearch } from './pages/settings/search.ts'
import { validateStartSearch } from './pages/start/search.ts'
import { validateTemplateSearch } from './pages/template/search.ts'
import { validateTemplatesSearch } from './pages/templates/search.ts'
import { validateWebhookSearch } from './pages/webhook/search.ts'
import { validateWebhooksSearch } from './pages/webhooks/search.ts'
import { NotFound, PageError, RoutePending } from './shell/PageStates.tsx'
import { Root } from './shell/Shell.tsx'

const root = createRootRoute({ component: Root, notFoundComponent: NotFound })

const apps = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: validateAppsSearch,
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
 * Opened by a click on the notification of the first push, when no page of the dashboard is open. The address is the scope of the worker that showed
 * the push.
 */
const tryOut = createRoute({
  getParentRoute: () => root,
  path: 'try-out/$appId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/apps/$appId/start', params, replace: true })
  },
})

const start = createRoute({
  getParentRoute: () => app,
  path: 'start',
  validateSearch: validateStartSearch,
  component: lazyRouteComponent(() => import('./pages/start/StartPage.tsx'), 'StartPage'),
})
const overview = createRoute({
  getParentRoute: () => app,
  path: 'overview',
  validateSearch: validateOverviewSearch,
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage'),
})
const compose = createRoute({
  getParentRoute: () => app,
  path: 'compose',
  validateSearch: validateComposeSearch,
  component: lazyRouteComponent(() => import('./pages/compose/ComposePage.tsx'), 'ComposePage'),
})
// A new message and a stored draft have one page, because a message becomes a stored draft while the operator writes.
const composeDraft = createRoute({ getParentRoute: () => compose, path: '$campaignId' })
const campaigns = createRoute({
  getParentRoute: () => app,
  path: 'campaigns',
  validateSearch: validateCampaignsSearch,
  component: lazyRouteComponent(() => import('./pages/campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
})
const campaign = createRoute({
  getParentRoute: () => app,
  path: 'campaigns/$campaignId',
  validateSearch: validateCampaignSearch,
  component: lazyRouteComponent(() => import('./pages/campaign/CampaignPage.tsx'), 'CampaignPage'),
})
const people = createRoute({
  getParentRoute: () => app,
  path: 'people',
  validateSearch: validatePeopleSearch,
  component: lazyRouteComponent(() => import('./pages/people/PeoplePage.tsx'), 'PeoplePage'),
})
const person = createRoute({
  getParentRoute: () => app,
  path: 'people/$userId',
  validateSearch: validatePersonSearch,
  component: lazyRouteComponent(() => import('./pages/person/PersonPage.tsx'), 'PersonPage'),
})
const segments = createRoute({
  getParentRoute: () => app,
  path: 'segments',
  validateSearch: validateSegmentsSearch,
  component: lazyRouteComponent(() => import('./pages/segments/SegmentsPage.tsx'), 'SegmentsPage'),
})
const segment = createRoute({
  getParentRoute: () => app,
  path: 'segments/$segmentId',
  validateSearch: validateSegmentSearch,
  component: lazyRouteComponent(() => import('./pages/segment/SegmentPage.tsx'), 'SegmentPage'),
})
const templates = createRoute({
  getParentRoute: () => app,
  path: 'templates',
  validateSearch: validateTemplatesSearch,
  component: lazyRouteComponent(() => import('./pages/templates/TemplatesPage.tsx'), 'TemplatesPage'),
})
const template = createRoute({
  getParentRoute: () => app,
  path: 'templates/$templateId',
  validateSearch: validateTemplateSearch,
  component: lazyRouteComponent(() => import('./pages/template/TemplatePage.tsx'), 'TemplatePage'),
})
const log = createRoute({
  getParentRoute: () => app,
  path: 'log',
  validateSearch: validateLogSearch,
  component: lazyRouteComponent(() => import('./pages/log/LogPage.tsx'), 'LogPage'),
})
const explain = createRoute({
  getParentRoute: () => app,
  path: 'explain',
  validateSearch: validateExplainSearch,
  component: lazyRouteComponent(() => import('./pages/explain/ExplainPage.tsx'), 'ExplainPage'),
})
const providers = createRoute({
  getParentRoute: () => app,
  path: 'providers',
  validateSearch: validateProvidersSearch,
  component: lazyRouteComponent(() => import('./pages/providers/ProvidersPage.tsx'), 'ProvidersPage'),
})
const keys = createRoute({
  getParentRoute: () => app,
  path: 'keys',
  validateSearch: validateKeysSearch,
  component: lazyRouteComponent(() => import('./pages/keys/KeysPage.tsx'), 'KeysPage'),
})
const webhooks = createRoute({
  getParentRoute: () => app,
  path: 'webhooks',
  validateSearch: validateWebhooksSearch,
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})
const webhook = createRoute({
  getParentRoute: () => app,
  path: 'webhooks/$webhookId',
  validateSearch: validateWebhookSearch,
  component: lazyRouteComponent(() => import('./pages/webhook/WebhookPage.tsx'), 'WebhookPage'),
})
const settings = createRoute({
  getParentRoute: () => app,
  path: 'settings',
  validateSearch: validateSettingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
})
const audit = createRoute({
  getParentRoute: () => app,
  path: 'audit',
  validateSearch: validateAuditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
})
const inbox = createRoute({
  getParentRoute: () => app,
  path: 'inbox',
  validateSearch: validateInboxSearch,
  component: lazyRouteComponent(() => import('./pages/inbox/InboxPage.tsx'), 'InboxPage'),
})

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

/** All pages by their paths. The code of a page is loaded when the page is opened, or when the pointer is on a link to it. */
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

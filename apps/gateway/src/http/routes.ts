import { campaignsOfApp } from '../campaigns/http/administer-campaigns.ts'
import { usersOfApp } from '../people/http/administer-users.ts'
import { apps } from '../apps/http/apps.ts'
import { audit } from '../audit/http/audit.ts'
import { categoriesOfApp } from '../campaigns/http/categories.ts'
import { campaigns } from '../campaigns/http/campaigns.ts'
import { conversions } from '../people/http/conversions.ts'
import { inbox } from '../people/http/inbox.ts'
import { docs, docsFiles } from '../pages/http/docs.ts'
import { explain, explainOfApp } from '../campaigns/http/explain.ts'
import { drafts } from '../campaigns/http/drafts.ts'
import { dryRuns, dryRunsOfApp } from '../campaigns/http/dry-run.ts'
import { experiments } from '../campaigns/http/experiments.ts'
import { exports } from '../people/http/exports.ts'
import { imports } from '../people/http/imports.ts'
import { keys } from '../apps/http/keys.ts'
import { liveActivities } from '../campaigns/http/live-activities.ts'
import { notifications } from '../campaigns/http/notifications.ts'
import { describeApi } from '../openapi/http/openapi.ts'
import { pages } from '../pages/http/pages.ts'
import { breakdowns, overview, system } from '../overview/http/overview.ts'
import { activityTokens } from '../people/http/live-activities.ts'
import { administrationApi } from '../openapi/http/openapi-administration.ts'
import { publicApi } from '../openapi/http/openapi-public.ts'
import { oneTap, preferences } from '../people/http/preferences.ts'
import { providerRoutes, webPushKey } from '../apps/http/providers.ts'
import { pictureFiles, pictures } from '../pictures/http/pictures.ts'
import { pushes } from '../campaigns/http/pushes.ts'
import { Healthy } from './answers.ts'
import { Reply } from './reply.ts'
import { route, type Route } from './route.ts'
import { segments, segmentsOfApp } from '../people/http/segments.ts'
import { session } from '../session/http/session.ts'
import { simulator } from '../simulator/http/simulator.ts'
import { subscriptions } from '../people/http/subscriptions.ts'
import { tags } from '../people/http/tags.ts'
import { templates, templatesOfApp } from '../campaigns/http/templates.ts'
import { testSends } from '../campaigns/http/test-sends.ts'
import { tracking } from '../campaigns/http/tracking.ts'
import { users } from '../people/http/users.ts'
import { events, webhooks } from '../webhooks/http/webhooks.ts'

const health = route({
  name: 'readHealth',
  method: 'get',
  path: '/health',
  key: 'none',
  withoutDatabase: true,
  status: 200,
  summary: 'Whether the service takes requests',
  description: '503 while the database is unreachable or frozen.',
  answers: Healthy,
  async answer({ watch }) {
    return watch.up ? { status: 'ok', db: 'ready' } : new Reply({ status: 'unavailable', db: 'unreachable' }, { status: 503 })
  },
})

const document = route({
  name: 'readOpenApiDocument',
  method: 'get',
  path: '/openapi.json',
  key: 'none',
  withoutDatabase: true,
  status: 200,
  summary: 'This document',
  mediaType: 'application/json',
  answer: async () => texts.public(),
})

const administrationDocument = route({
  name: 'readAdministrationDocument',
  method: 'get',
  path: '/v1/admin/openapi.json',
  key: 'admin',
  scope: 'any',
  withoutDatabase: true,
  status: 200,
  summary: 'This document',
  mediaType: 'application/json',
  answer: async () => texts.administration(),
})

/** The public API. The OpenAPI document describes it, and it changes only by adding (spec: limits/versioning). */
export const publicRoutes: readonly Route[] = [
  ...subscriptions,
  ...users,
  ...preferences,
  ...conversions,
  ...inbox,
  ...notifications,
  ...dryRuns,
  ...campaigns,
  ...explain,
  ...breakdowns,
  ...segments,
  ...templates,
  ...tracking,
  ...oneTap,
  health,
  document,
  docs,
  ...webPushKey,
  ...activityTokens,
  ...liveActivities,
]

/** The administration API, for the dashboard and for scripts. It may change with any version of Herald. */
export const administrationRoutes: readonly Route[] = [
  ...apps,
  ...keys,
  ...providerRoutes,
  ...pushes,
  ...explainOfApp,
  ...webhooks,
  ...events,
  ...tags,
  ...audit,
  ...segmentsOfApp,
  ...templatesOfApp,
  ...categoriesOfApp,
  ...campaignsOfApp,
  ...experiments,
  ...drafts,
  ...pictures,
  ...dryRunsOfApp,
  ...testSends,
  ...overview,
  // Exports come before users, because `users/:id` would match `users/export` too.
  ...exports,
  ...usersOfApp,
  ...imports,
  administrationDocument,
  ...session,
  ...simulator,
  ...system,
]

/** The texts of the two OpenAPI documents. A gateway makes each when somebody first asks, because making both would slow its start. */
const texts = {
  public: onceMade(() => describeApi(publicRoutes, publicApi)),
  administration: onceMade(() => describeApi(administrationRoutes, administrationApi)),
}

function onceMade(document: () => object): () => string {
  let text: string | undefined
  return () => (text ??= JSON.stringify(document()))
}

export const routes: readonly Route[] = [...publicRoutes, ...docsFiles, ...pages, ...pictureFiles, ...administrationRoutes]

import { segmentsAndTemplates } from './administer.ts'
import { campaignsOfApp } from './administer-campaigns.ts'
import { people } from './administer-users.ts'
import { apps } from './apps.ts'
import { audit } from './audit.ts'
import { campaigns } from './campaigns.ts'
import { docs, docsFiles } from './docs.ts'
import { explain } from './explain.ts'
import { dryRuns, dryRunsOfApp } from './dry-run.ts'
import { exports } from './exports.ts'
import { events } from './events.ts'
import { health } from './health.ts'
import { imports } from './imports.ts'
import { keys } from './keys.ts'
import { notifications } from './notifications.ts'
import { describeApi } from './openapi.ts'
import { pages } from './pages.ts'
import { overview } from './overview.ts'
import { administrationApi } from './openapi-administration.ts'
import { publicApi } from './openapi-public.ts'
import { providers } from './providers.ts'
import { pushes } from './pushes.ts'
import { route, type Route } from './route.ts'
import { segments } from './segments.ts'
import { session } from './session.ts'
import { simulator } from './simulator.ts'
import { subscriptions } from './subscriptions.ts'
import { system } from './system.ts'
import { tags } from './tags.ts'
import { templates } from './templates.ts'
import { testSends } from './test-sends.ts'
import { tracking } from './tracking.ts'
import { users } from './users.ts'
import { webPushKey } from './web-push-key.ts'
import { webhooks } from './webhooks.ts'

const document = route({
  name: 'readOpenApiDocument',
  method: 'get',
  path: '/openapi.json',
  key: 'none',
  withoutDatabase: true,
  status: 200,
  summary: 'This document',
  mediaType: 'application/json',
  answer: async () => openApiText,
})

const administrationDocument = route({
  name: 'readAdministrationDocument',
  method: 'get',
  path: '/v1/admin/openapi.json',
  key: 'admin',
  withoutDatabase: true,
  status: 200,
  summary: 'This document',
  mediaType: 'application/json',
  answer: async () => administrationText,
})

/** What the OpenAPI document describes, and changes only by adding (spec: limits/versioning). */
export const publicRoutes: readonly Route[] = [
  ...subscriptions,
  ...users,
  ...notifications,
  ...dryRuns,
  ...campaigns,
  ...segments,
  ...templates,
  ...tracking,
  ...health,
  document,
  docs,
  ...webPushKey,
]

/** For the dashboard only, without a promise of stability. */
export const administrationRoutes: readonly Route[] = [
  ...apps,
  ...keys,
  ...providers,
  ...pushes,
  ...explain,
  ...webhooks,
  ...events,
  ...tags,
  ...audit,
  ...segmentsAndTemplates,
  ...campaignsOfApp,
  ...dryRunsOfApp,
  ...testSends,
  ...overview,
  // Before a user: their path has the form of a user's.
  ...exports,
  ...people,
  ...imports,
  administrationDocument,
  ...session,
  ...simulator,
  ...system,
]

export const openApiDocument = describeApi(publicRoutes, publicApi)
const openApiText = JSON.stringify(openApiDocument)

export const administrationDescription = describeApi(administrationRoutes, administrationApi)
const administrationText = JSON.stringify(administrationDescription)

export const routes: readonly Route[] = [...publicRoutes, ...docsFiles, ...pages, ...administrationRoutes]

import { segmentsAndTemplates } from './administer.ts'
import { campaignsOfApp } from './administer-campaigns.ts'
import { apps } from './apps.ts'
import { audit } from './audit.ts'
import { campaigns } from './campaigns.ts'
import { docs, docsFiles } from './docs.ts'
import { events } from './events.ts'
import { health } from './health.ts'
import { keys } from './keys.ts'
import { notifications } from './notifications.ts'
import { describeApi } from './openapi.ts'
import { providers } from './providers.ts'
import { pushes } from './pushes.ts'
import { route, type Route } from './route.ts'
import { segments } from './segments.ts'
import { subscriptions } from './subscriptions.ts'
import { tags } from './tags.ts'
import { templates } from './templates.ts'
import { tracking } from './tracking.ts'
import { users } from './users.ts'
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

/** What the OpenAPI document describes, and changes only by adding (spec: limits/versioning). */
export const publicRoutes: readonly Route[] = [
  ...subscriptions,
  ...users,
  ...notifications,
  ...campaigns,
  ...segments,
  ...templates,
  ...tracking,
  ...health,
  document,
  docs,
]

/** For the dashboard only, without a promise of stability. */
export const administrationRoutes: readonly Route[] = [
  ...apps,
  ...keys,
  ...providers,
  ...pushes,
  ...webhooks,
  ...events,
  ...tags,
  ...audit,
  ...segmentsAndTemplates,
  ...campaignsOfApp,
]

export const openApiDocument = describeApi(publicRoutes)
const openApiText = JSON.stringify(openApiDocument)

export const routes: readonly Route[] = [...publicRoutes, ...docsFiles, ...administrationRoutes]

import { apps } from './apps.ts'
import { audit } from './audit.ts'
import { campaigns } from './campaigns.ts'
import { health } from './health.ts'
import { keys } from './keys.ts'
import { notifications } from './notifications.ts'
import { describeApi } from './openapi.ts'
import { providers } from './providers.ts'
import { pushes } from './pushes.ts'
import { route, type Route } from './route.ts'
import { subscriptions } from './subscriptions.ts'
import { tracking } from './tracking.ts'

/** What the OpenAPI document describes, and changes only by adding (decisions.md 9, Versioning). */
export const publicRoutes: readonly Route[] = [...subscriptions, ...notifications, ...campaigns, ...tracking, ...health]

/** For the dashboard only, without a promise of stability. */
export const administrationRoutes: readonly Route[] = [...apps, ...keys, ...providers, ...pushes, ...audit]

export const openApiDocument = describeApi(publicRoutes)
const openApiText = JSON.stringify(openApiDocument)

const document = route({
  name: 'readOpenApiDocument',
  method: 'get',
  path: '/openapi.json',
  key: 'none',
  withoutDatabase: true,
  status: 200,
  summary: 'This document',
  answer: async () => openApiText,
})

export const routes: readonly Route[] = [...publicRoutes, document, ...administrationRoutes]

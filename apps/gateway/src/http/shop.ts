import type { Category } from '@herald/contracts/category'
import type { SavedSegment, SegmentCount } from '@herald/contracts/saved-segment'
import type { Template } from '@herald/contracts/template'
import type { Subscription, User } from '@herald/contracts/user'

/**
 * The ids in the examples of the OpenAPI documents. All examples are about one shop. Tests check each example against its schema, and send an example
 * body to each operation of the public API that takes a body.
 */
export const ids = {
  device: '671a2b3c4d5e6f7081920a01',
  user: '671a2b3c4d5e6f7081920a02',
  segment: '671a2b3c4d5e6f7081920a03',
  template: '671a2b3c4d5e6f7081920a04',
  campaign: '671a2b3c4d5e6f7081920a05',
}
export const appId = '671a2b3c4d5e6f7081920a06'
export const keyId = '671a2b3c4d5e6f7081920a07'
export const campaignId = ids.campaign
export const [monday, tuesday] = ['2026-01-12T09:00:00.000Z', '2026-01-13T18:30:00.000Z']
export const device = {
  id: ids.device,
  platform: 'ios',
  token: '…c0ffee',
  optedIn: true,
  appVersion: '4.2.0',
  sdkVersion: '1.0.0',
  osVersion: '18.1',
  deviceModel: 'iPhone16,2',
  browser: null,
  standalone: null,
  sessionCount: 17,
  lastSessionAt: '2026-01-31T08:00:00.000Z',
  createdAt: '2025-11-03T17:20:11.000Z',
  lastActiveAt: '2026-01-31T08:04:30.000Z',
  lastNotifiedAt: '2026-01-30T18:00:00.000Z',
  invalidatedAt: null,
} satisfies Subscription
export const tags = { plan: 'gold', orders: 12, newsletter: true }
export const user = {
  id: ids.user,
  externalId: 'customer-4711',
  tags,
  language: 'de-AT',
  timezone: 'Europe/Vienna',
  country: 'AT',
  createdAt: '2025-11-03T17:20:11.000Z',
  lastActiveAt: '2026-01-31T08:04:30.000Z',
  subscriptions: [device],
} satisfies User
export const definition = {
  and: [
    { field: 'tags.plan', op: 'in', value: ['gold', 'silver'] },
    { field: 'lastActiveAt', op: 'gt', value: '-14d' },
  ],
}
export const savedSegment = { name: 'Active customers', description: 'Paying, seen within two weeks', definition }
export const segment = {
  id: ids.segment,
  ...savedSegment,
  lastCount: 1280,
  lastCountedAt: '2026-01-31T08:10:00.000Z',
  createdAt: '2026-01-12T09:00:00.000Z',
  updatedAt: '2026-01-12T09:00:00.000Z',
} satisfies SavedSegment
export const counted = { count: 1280, byPlatform: { ios: 520, android: 610, web: 150 } } satisfies SegmentCount
export const content = {
  _default: 'en',
  en: {
    title: 'Your order is on its way',
    body: 'Hello {{ tags.name | default: "there" }}, it arrives today.',
    url: 'https://shop.example/orders/17',
  },
  de: { title: 'Ihre Bestellung ist unterwegs', body: 'Sie kommt heute an.' },
}
export const savedTemplate = { name: 'Order shipped', content, data: { kind: 'order' }, ttl: 86_400, presentation: { sound: 'default' } }
export const template = {
  id: ids.template,
  ...savedTemplate,
  description: null,
  overrides: null,
  category: null,
  sendRate: null,
  collapseId: null,
  priority: null,
  silent: null,
  useCount: 3,
  createdAt: '2026-01-12T09:00:00.000Z',
  updatedAt: '2026-01-12T09:00:00.000Z',
} satisfies Template

export const savedCategory = { name: 'Offers', description: 'Sales and new things', default: 'in' } as const
export const category = {
  id: 'offers',
  ...savedCategory,
  locked: false,
  presentation: null,
  createdAt: '2026-01-12T09:00:00.000Z',
  updatedAt: '2026-01-12T09:00:00.000Z',
} satisfies Category

/** Makes an example of a list with one page. */
export const listOf = (...items: unknown[]): { items: unknown[]; nextCursor: null } => ({ items, nextCursor: null })

/** The examples of a route: bodies of a request (several where there are several kinds), the answer, and parameters of the path. */
export type Example = { bodies?: Record<string, unknown>; answer?: unknown; params?: Record<string, string> }

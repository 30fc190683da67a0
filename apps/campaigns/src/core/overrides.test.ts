import type { Presentation } from '@herald/contracts/send-fields'
import { expect, test } from 'vitest'
import { resolveSend, type TemplateDefaults } from './overrides.ts'

const content = { _default: 'en', en: { title: 'A', body: 'B' } }
const template: TemplateDefaults = {
  content,
  data: { from: 'template' },
  presentation: { sound: 'bell' },
  overrides: { web: { renotify: true } },
  ttl: 600,
  collapseId: 'news',
  priority: 'normal',
  silent: true,
  perMinute: 600,
}

test('without a template every field that a request leaves out has its default', () => {
  expect(resolveSend({ content }, undefined, 2_592_000)).toEqual({
    content,
    silent: false,
    data: {},
    ttl: 2_419_200,
    collapseId: null,
    priority: 'high',
    presentation: null,
    overrides: null,
    perMinute: null,
    bypass: {},
  })
})

// spec: sending/ttl
test('a send without a ttl has the configured ttl when that is below the maximum', () => {
  expect(resolveSend({ content }, undefined, 60).ttl).toBe(60)
})

// spec: content/template-merge
test('a template fills in the fields that the request leaves out', () => {
  expect(resolveSend({ templateId: 't' }, template, 60)).toEqual({
    content,
    silent: true,
    data: { from: 'template' },
    ttl: 600,
    collapseId: 'news',
    priority: 'normal',
    presentation: { sound: 'bell' },
    overrides: { web: { renotify: true } },
    perMinute: 600,
    bypass: {},
  })
})

// spec: content/template-merge
test('a field of the request wins over the template, also when it is false, zero or empty', () => {
  const request = { silent: false, ttl: 0, data: {}, presentation: { badge: 1 }, overrides: {}, priority: 'high' } as const
  const resolved = resolveSend(request, template, 60)
  expect(resolved.overrides).toEqual({})
  expect(resolved).toMatchObject({
    silent: false,
    ttl: 0,
    data: {},
    presentation: { badge: 1 },
    priority: 'high',
    collapseId: 'news',
  })
})

// spec: categories/presentation
test('a category’s presentation lies field by field under that of the template or request', () => {
  const category = { category: { id: 'offers', default: 'in', locked: false } as const, presentation: { channelId: 'loud', sound: 'bell' } }
  const resolved = (presentation?: { sound?: string; icon?: string }) =>
    resolveSend({ silent: true, ...(presentation && { presentation }) }, undefined, 60, category)
  expect(resolved()).toMatchObject({ category: category.category, presentation: { channelId: 'loud', sound: 'bell' } })
  expect(resolved({ sound: 'none', icon: 'i' }).presentation).toEqual({ channelId: 'loud', sound: 'none', icon: 'i' })
})

// spec: sending/badge-increment, categories/presentation
test('a badge of a send takes the place of its category’s increment, and an increment that of its category’s badge', () => {
  const resolved = (ofCategory: Presentation, own: Presentation) => {
    const category = { category: { id: 'offers', default: 'in', locked: false } as const, presentation: ofCategory }
    return resolveSend({ silent: true, presentation: own }, undefined, 60, category).presentation
  }
  expect(resolved({ badgeIncrement: 1 }, { badge: 0 })).toEqual({ badge: 0 })
  expect(resolved({ badge: 5, icon: 'i' }, { badgeIncrement: 2 })).toEqual({ icon: 'i', badgeIncrement: 2 })
  expect(resolved({ badge: 5 }, { sound: 'bell' })).toEqual({ badge: 5, sound: 'bell' })
})

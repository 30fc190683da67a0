import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { expect, test } from 'vitest'
import { prepareSend } from './render.ts'

const now = new Date('2026-01-31T12:00:00.000Z')

const givenSend = (change: Partial<FrozenSend> = {}): FrozenSend => ({
  campaignId: '6b0101fa670fb6323e3094c0',
  appId: '6b0101fa57242da27b70b803',
  name: 'spring',
  transactional: true,
  content: {
    _default: 'en',
    en: { title: 'Hello {{ user.externalId | default: "you" }}', body: '{{ campaign.name }} {{ data.order }} {{ tags.plan }}' },
    pt: { title: 'Olá', body: 'Bom dia' },
  },
  silent: false,
  data: { order: '17' },
  ttl: 60,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
  ...change,
})

const givenRecipient = (change: Partial<Recipient> = {}): Recipient => ({
  subscriptionId: '6b0101fac570c5519301082b',
  userId: '6b0101fa94f99a0e6e037231',
  address: 'token',
  keys: null,
  tokenVersion: 1,
  environment: null,
  language: null,
  timezone: null,
  user: { externalId: 'anna' },
  tags: { plan: 'gold' },
  subscription: {},
  ...change,
})

test('a user reads the locale of their language, else the default', () => {
  const prepared = prepareSend(givenSend())
  const titles = ['pt-BR', 'en-GB', 'fr', null].map((language) => prepared.entryFor(givenRecipient({ language }), now)?.title)
  expect(titles).toEqual(['Olá', 'Hello anna', 'Hello anna', 'Hello anna'])
})

test('placeholders read the user, tags, data and campaign of this push', () => {
  const prepared = prepareSend(givenSend())
  expect(prepared.entryFor(givenRecipient(), now)?.body).toBe('spring 17 gold')
  expect(prepared.entryFor(givenRecipient({ user: { externalId: null }, tags: {} }), now)).toMatchObject({
    title: 'Hello you',
    body: 'spring 17 ',
  })
})

test('a silent send shows nothing, one whose texts render empty has nothing to show', () => {
  expect(prepareSend(givenSend({ silent: true })).entryFor(givenRecipient(), now)).toBeNull()
  const empty = givenSend({ content: { _default: 'en', en: { title: '{{ tags.none }}', body: '{{ tags.none }}' } } })
  expect(prepareSend(empty).entryFor(givenRecipient(), now)).toBeUndefined()
})

import type { FrozenSend } from '@herald/contracts/batch'
import { expect, test } from 'vitest'
import { explainMessage } from './explain-message.ts'

const entry = { title: 'T', body: 'B' }
const explained = (content: FrozenSend['content'], language: string) =>
  explainMessage({
    send: { campaignId: 'c', silent: false, content, experiment: null, data: {}, ttl: 60, collapseId: null } as unknown as FrozenSend,
    ...{ platform: 'ios', userId: 'u', language, now: new Date() },
    values: { user: {}, tags: {}, subscription: {}, timezone: null },
  })

// spec: identity/old-language-codes
test.each([
  ['iw-IL', { _default: 'en', en: entry, he: entry }, { locale: 'he', fallback: false }],
  ['he', { _default: 'en', en: entry, iw: entry }, { locale: 'iw', fallback: false }],
  ['no', { _default: 'en', en: entry, nb: entry }, { locale: 'nb', fallback: false }],
  ['iw', { _default: 'en', en: entry }, { locale: 'en', fallback: true }],
])('explain says that a user with the language %s gets its text, under its old or present code', (language, content, step) => {
  expect(explained(content, language)).toMatchObject(step)
})

import { expect, test } from 'vitest'
import { namesOfSend, namesUser } from './names-of-send.ts'

const saying = (body: string) => ({ _default: 'en', en: { title: 'Hello', body } })

test('for an experiment the fields that any variant’s texts name are read, each once', () => {
  const experiment = {
    sampleRate: 1,
    variants: [
      { id: 'a', weight: 1, content: saying('{{ tags.plan }} {{ user.country }}') },
      { id: 'b', weight: 1, content: saying('{{ tags.plan }} {{ tags.city }} {{ subscription.platform }}') },
    ],
  }
  expect(namesOfSend({ content: saying('{{ user.country }}'), experiment })).toEqual({
    user: ['country'],
    tags: ['plan', 'city'],
    subscription: ['platform'],
    language: false,
    timezone: false,
  })
  expect(namesOfSend({ content: null })).toEqual({ user: [], tags: [], subscription: [], language: false, timezone: false })
})

test('a user’s time zone is read for texts that show a time', () => {
  const isRead = (body: string) => namesOfSend({ content: saying(body) }).timezone
  expect(isRead('{{ user.createdAt | date: "%H:%M" }}')).toBe(true)
  expect(isRead('{{ "now" | default: "x" | date }}')).toBe(true)
  expect(isRead('{{ user.externalId | upcase }}')).toBe(false)
  expect(isRead('What a date')).toBe(false)
})

test('users are read for texts in several languages or with a time, not for one language without placeholders', () => {
  const plain = { title: 'Hello', body: 'you' }
  const needs = (content: Parameters<typeof namesOfSend>[0]['content']) => namesUser(namesOfSend({ content }))
  expect(needs({ _default: 'en', en: plain })).toBe(false)
  expect(needs({ _default: 'en', en: plain, de: plain })).toBe(true)
  expect(needs(saying('{{ "now" | date: "%H:%M" }}'))).toBe(true)
  expect(needs(null)).toBe(false)
})

import { expect, test } from 'vitest'
import { namesOfSend } from './names-of-send.ts'

const saying = (body: string) => ({ _default: 'en', en: { title: 'Hello', body } })

test('what any variant names is read, each name once', () => {
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
  })
  expect(namesOfSend({ content: null })).toEqual({ user: [], tags: [], subscription: [] })
})

import { expect, test } from 'vitest'
import { unknownNames } from './unknown-names.ts'

const tags = ['plan', 'first name'].map((name) => ({ name, type: 'string', values: [] }))

// spec: dashboard/unknown-placeholder
test('a tag that no user has and data that the message has not are named while they are typed', () => {
  expect(unknownNames('Hi {{ tags.plna }}, {{ tags.plan | default: data.offer }}', tags, [])).toBe(
    'No user of this app has the tag “plna”. This message has no data “offer”.',
  )
  expect(unknownNames('{{ tags["first name"] }} {{ data.offer }} {{ user.language }}', tags, ['offer'])).toBeUndefined()
  // Nothing is said of a placeholder that is not finished: that is a mistake with its own message.
  expect(unknownNames('{{ tags.pl', tags, [])).toBeUndefined()
})

test('nothing is called unknown while the tags of the app are not known, or not all of them', () => {
  expect(unknownNames('{{ tags.plna }}', [], [])).toBeUndefined()
  const many = Array.from({ length: 200 }, (_, number) => ({ name: `t${number}`, type: 'string', values: [] }))
  expect(unknownNames('{{ tags.plna }}', many, [])).toBeUndefined()
})

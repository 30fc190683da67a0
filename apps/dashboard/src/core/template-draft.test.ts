import { SaveTemplate } from '@herald/contracts/template'
import { parseBody } from '@herald/contracts/validate'
import { expect, test } from 'vitest'
import { bodyOfTemplate, emptyTemplate, formOfTemplate } from './template-draft.ts'

const unset = {
  description: null,
  data: null,
  presentation: null,
  overrides: null,
  ttl: null,
  collapseId: null,
  priority: null,
  silent: null,
}
const content = { _default: 'en', en: { title: 'Shipped', body: 'On its way', url: 'https://shop.example' } }

// spec: dashboard/draft-lossless
test('a template is unchanged when opened and saved again, and fields that it leaves out stay so', () => {
  const bare = { name: 'Order', content }
  expect(parseBody(SaveTemplate, bodyOfTemplate(formOfTemplate({ ...unset, ...bare })))).toEqual({ ...bare, description: null })
  const full = {
    ...bare,
    description: 'When it ships',
    data: { kind: 'order' },
    presentation: { sound: 'default', badge: 0, relevanceScore: 0 },
    overrides: { ios: { aps: { category: 'ORDER' } } },
    ttl: 0,
    collapseId: 'order',
    priority: 'normal' as const,
    silent: true,
  }
  expect(parseBody(SaveTemplate, bodyOfTemplate(formOfTemplate(full)))).toEqual(full)
})

test('a new template is empty', () => {
  expect(bodyOfTemplate(emptyTemplate)).toEqual({ name: '', description: null, content: { _default: 'en', en: { title: '', body: '' } } })
})

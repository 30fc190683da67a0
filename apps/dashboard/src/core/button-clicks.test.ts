import { expect, test } from 'vitest'
import { buttonClicks } from './button-clicks.ts'

const text = (title: string) => ({ title: 'Sale', body: 'Now', actions: [{ id: 'shop', title }] })

// spec: dashboard/button-clicks
test('clicks are shown by the title of the button, and those on the notification itself apart', () => {
  const contents = [{ _default: 'en', en: text('To the shop'), de: text('Zum Laden') }, null]
  const actions = [
    { action: 'shop', clicked: 5 },
    { action: 'gone', clicked: 1 },
  ]
  expect(buttonClicks(actions, { clicked: 9, contents })).toEqual([
    { key: 'button shop', label: 'To the shop', clicked: 5 },
    { key: 'itself', label: 'The notification itself', clicked: 3 },
    { key: 'button gone', label: 'gone', clicked: 1 },
  ])
  expect(buttonClicks([], { clicked: 9, contents })).toBeUndefined()
})

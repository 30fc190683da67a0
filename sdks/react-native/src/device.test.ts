import { expect, test } from 'vitest'
import { HeraldError, heraldOver, type Native } from './device.ts'

/** Stands for the native part of a framework: it records calls and answers as told. */
function givenNative(answers: Record<string, (given: Record<string, unknown>) => unknown> = {}) {
  const asked: { name: string; given: Record<string, unknown> }[] = []
  let emit: (name: string, event: unknown) => void = () => undefined
  const native: Native = {
    async call(name, given) {
      asked.push({ name, given })
      return answers[name]?.(given) ?? null
    },
    listen: (handle) => void (emit = handle),
  }
  return { asked, emit: (name: string, event: unknown) => emit(name, event), herald: heraldOver(native) }
}

const options = { baseUrl: 'https://push.example.com', appKey: 'pk_live_x' }

test('each function reaches the native part by its name, with its arguments', async () => {
  const { asked, herald } = givenNative({ register: () => 'an-id', requestPermission: () => true, subscriptionId: () => null })
  await herald.start({ ...options, group: 'group.shop' })
  expect(await herald.requestPermission()).toBe(true)
  expect([await herald.register(), await herald.subscriptionId()]).toEqual(['an-id', null])
  await herald.foreground()
  await herald.login('customer-7')
  await herald.logout()
  await herald.setTags({ plan: 'pro', old: null })
  await herald.setUser({ country: 'AT' })
  await herald.trackConversion('order-17', 'order', { value: 9.5, currency: 'EUR' })
  await herald.setCategories({ offers: false, news: null })
  await herald.leaveCategory('m')
  await herald.setBadge(3)
  await herald.optOut()
  await herald.optIn()
  await herald.delivered('m')
  await herald.opened('m')
  await herald.clicked('m')
  await herald.clicked('m', 'buy')
  await herald.dismissed('m')
  await herald.unregister()
  expect(asked.map(({ name, given }) => [name, given])).toEqual([
    ['start', { ...options, group: 'group.shop', verifiesIdentity: false }],
    ['requestPermission', {}],
    ['register', {}],
    ['subscriptionId', {}],
    ['foreground', {}],
    ['login', { externalId: 'customer-7' }],
    ['logout', {}],
    ['setTags', { tags: { plan: 'pro', old: null } }],
    ['setUser', { country: 'AT' }],
    ['trackConversion', { id: 'order-17', name: 'order', value: 9.5, currency: 'EUR' }],
    ['setCategories', { choices: { offers: false, news: null } }],
    ['leaveCategory', { msgId: 'm' }],
    ['setBadge', { badge: 3 }],
    ['optOut', {}],
    ['optIn', {}],
    ['delivered', { msgId: 'm' }],
    ['opened', { msgId: 'm' }],
    ['clicked', { msgId: 'm' }],
    ['clicked', { msgId: 'm', action: 'buy' }],
    ['dismissed', { msgId: 'm' }],
    ['unregister', {}],
  ])
})

test.each([
  ['React Native', { userInfo: { status: 403 } }],
  ['Capacitor', { data: { status: 403 } }],
])('a refusal of the native part of %s is an error with its code and HTTP status', async (_, more) => {
  const refuse = () => Promise.reject(Object.assign(new Error('No.'), { code: 'forbidden', ...more }))
  const { herald } = givenNative({ login: refuse })
  const error = await herald.login('eve').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(HeraldError)
  expect(error).toMatchObject({ code: 'forbidden', status: 403, message: 'No.' })
})

test('a tap from before a handler comes to the first, and none after it has ended', async () => {
  const { emit, herald } = givenNative()
  await herald.start(options)
  const tap = (url: string) => ({ url, action: null, data: {} })
  emit('tap', tap('first'))
  emit('push', { title: 'x', body: 'y', url: null, data: {} })
  const seen: (string | null)[] = []
  const off = herald.on('tap', ({ url }) => seen.push(url))
  emit('tap', tap('second'))
  off()
  emit('tap', tap('third'))
  expect(seen).toEqual(['first', 'second'])
  const titles: (string | null)[] = []
  herald.on('push', ({ title }) => titles.push(title))
  expect(titles).toEqual(['x'])
})

test('the native part gets the identity token that it asks for, and no answer when the app’s function fails', async () => {
  const { asked, emit, herald } = givenNative()
  const tokens: Record<string, string> = { ada: 'token-of-ada' }
  await herald.start({
    ...options,
    identityToken: (externalId) => tokens[externalId] ?? Promise.reject(new Error('the backend is away')),
  })
  expect(asked[0]?.given).toMatchObject({ verifiesIdentity: true })
  emit('identityToken', { id: '1', externalId: 'ada' })
  emit('identityToken', { id: '2', externalId: 'eve' })
  await expect
    .poll(() => asked.filter(({ name }) => name === 'identityToken').map(({ given }) => given))
    .toEqual([{ id: '1', token: 'token-of-ada' }])
})

import { expect, test } from 'vitest'
import { browserOf } from './device.ts'
import { readMessage, userOf } from './message.ts'
import { readOptions } from './options.ts'

const json = (value: unknown) => ({ json: () => value })

test('the SDK knows Firefox, Chrome, Edge and Safari by their user agent', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
  const safari = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15'
  expect(browserOf('Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0')).toBe('Firefox')
  expect([browserOf(chrome), browserOf(`${chrome} Edg/156.0.0.0`), browserOf(safari), browserOf('curl')]).toEqual([
    'Chrome',
    'Edge',
    'Safari',
    undefined,
  ])
})

test('the worker recognises a push of Herald, a push of another sender, and a push that it cannot read', () => {
  const ours = { title: 'Hi', body: 'There', data: { msgId: 'a.b' } }
  expect(readMessage(json(ours))).toEqual(ours)
  for (const foreign of [{ title: 'of another sender' }, { custom: { i: 'id of OneSignal' }, title: 'Hi' }, null, 'text', 7, []])
    expect(readMessage(json(foreign))).toBeUndefined()
  expect(readMessage(null)).toBeUndefined()
  expect(readMessage({ json: () => JSON.parse('no json') as unknown })).toBeUndefined()
})

test('the worker reads a push’s user from its msgId, none from one that cannot be decoded', () => {
  expect(userOf(`${Buffer.from('app|campaign|user|device|web|').toString('base64url')}.signature`)).toBe('user')
  expect(userOf('')).toBeUndefined()
  expect(userOf('%')).toBeUndefined()
})

test('init refuses an option that cannot be right, and its error names it without its value', () => {
  const right = { baseUrl: 'https://push.example.com/', appKey: 'pk_live_a' }
  expect(readOptions(right).service.baseUrl).toBe('https://push.example.com')
  expect(() => readOptions({ ...right, baseUrl: 'push.example.com' })).toThrow('baseUrl must be https://…')
  expect(() => readOptions({ ...right, appKey: 'sk_live_secret' })).toThrow('appKey must be pk_…')
})

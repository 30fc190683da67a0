import { expect, test } from 'vitest'
import { openUrlCheck } from './check-url.ts'

const checkWhenResolvedTo = (...addresses: string[]) =>
  openUrlCheck({
    allowPrivate: false,
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  })

// spec: webhooks/url-at-save
test.each([['127.0.0.1'], ['10.1.2.3'], ['169.254.169.254'], ['::1'], ['::ffff:10.0.0.1'], ['fd00::1'], ['64:ff9b::7f00:1']])(
  'a URL whose host resolves to %s is refused when saved, also with a public address too',
  async (address) => {
    expect(await checkWhenResolvedTo(address)('https://receiver.example/')).toMatch(/must not resolve/)
    expect(await checkWhenResolvedTo('93.184.215.14', address)('https://receiver.example/')).toMatch(/must not resolve/)
  },
)

// spec: webhooks/url-at-save
test('a URL is accepted when its host resolves to public addresses, or does not resolve yet', async () => {
  expect(await checkWhenResolvedTo('93.184.215.14', '2606:4700::1111')('https://receiver.example/')).toBeUndefined()
  const unknown = openUrlCheck({ allowPrivate: false, resolve: () => Promise.reject(new Error('ENOTFOUND')) })
  expect(await unknown('https://receiver.example/')).toBeUndefined()
})

test('a URL is accepted when the name server does not answer', async () => {
  const check = openUrlCheck({ allowPrivate: false, resolve: () => new Promise(() => undefined) })
  expect(await check('https://receiver.example/')).toBeUndefined()
})

// spec: webhooks/url-private
test('when private addresses are allowed, as in development, a URL on localhost is accepted, and https is still required', async () => {
  const check = openUrlCheck({ allowPrivate: true, resolve: () => Promise.reject(new Error('not asked')) })
  expect(await check('https://localhost:4433/')).toBeUndefined()
  expect(await check('http://localhost:4433/')).toBe('must be an https URL')
})

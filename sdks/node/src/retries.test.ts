import { expect, test } from 'vitest'
import { HeraldError, secondsOf } from './errors.ts'
import { Herald } from './herald.ts'
import { delayAfter } from './retries.ts'

const now = Date.parse('2026-06-15T12:00:00Z')

test.each([
  ['0', 0],
  ['90', 90],
  ['99999999999', 99_999_999_999],
  ['Mon, 15 Jun 2026 12:00:30 GMT', 30],
  ['Monday, 15-Jun-26 12:00:30 GMT', 30],
  ['Mon Jun 15 12:00:30 2026', 30],
  ['Mon, 15 Jun 2026 11:00:00 GMT', 0],
])('Retry-After "%s" means to wait %i seconds', (header, seconds) => {
  expect(secondsOf(header, now)).toBe(seconds)
})

test.each([
  'Wed, 31 Feb 2027 12:00:00 GMT',
  'Wednesday, 31-Feb-27 12:00:00 GMT',
  'Wed Feb 31 12:00:00 2027',
  '',
  '-5',
  '1.5',
  '1e3',
  '0x10',
  '5 s',
  'soon',
  '2026-06-15T12:00:30Z',
  'Foo, 99 Bar 2026 12:00:00 GMT',
])('Retry-After "%s", which has neither of its two forms, is not heeded', (header) => {
  expect(secondsOf(header, now)).toBeUndefined()
})

test('the SDK never waits shorter than it would by itself, nor shorter than Herald asks for', () => {
  const own = () => 1
  expect(delayAfter(3, undefined, own)).toBe(2_000)
  for (const asked of [0, 1]) expect(delayAfter(3, asked, own)).toBe(2_000)
  expect(delayAfter(3, 5, own)).toBe(5_000)
  expect(delayAfter(3, 61, own)).toBeUndefined()
})

/** Opens an SDK whose requests get these answers in turn. */
function openHerald(answers: Response[]) {
  const bodies: unknown[] = []
  const herald = new Herald({
    baseUrl: 'http://127.0.0.1',
    key: 'sk_live_test',
    retries: 0,
    fetch: (_, init) => {
      bodies.push(JSON.parse(init?.body as string))
      return Promise.resolve(answers.shift() ?? Response.error())
    },
  })
  return { herald, bodies }
}
const refusal = (...paths: string[]) =>
  Response.json(
    { error: { code: 'invalid_body', message: 'no', details: paths.map((path) => ({ path, message: 'no' })) } },
    { status: 422 },
  )
const phone = { platform: 'android', token: 'a', language: '!', timezone: 'GMT-06:00', externalId: 'ann' } as const

// spec: identity/register-spares
test('a device whose language or time zone Herald refuses is registered without it', async () => {
  const { herald, bodies } = openHerald([refusal('timezone'), Response.json({ id: 'd' })])
  expect(await herald.subscriptions.register(phone)).toEqual({ id: 'd' })
  const { timezone: _, ...rest } = phone
  expect(bodies).toEqual([phone, rest])
})

// spec: identity/register-spares
test('a device whose token Herald refuses is not registered', async () => {
  const { herald, bodies } = openHerald([refusal('timezone', 'token')])
  await expect(herald.subscriptions.register(phone)).rejects.toBeInstanceOf(HeraldError)
  expect(bodies).toHaveLength(1)
})

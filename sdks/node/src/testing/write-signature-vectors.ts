// Writes signature-vectors.json: example signatures that Herald's own code made, and wrong ones written by hand.
// `node sdks/node/src/testing/write-signature-vectors.ts`
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signWebhook } from '@herald/auth/webhook-signature'

export type Answer = 'ok' | 'malformed' | 'bad_signature' | 'too_old' | 'too_new'
export type Vector = { name: string; secrets: string[]; header: string; body: string; now: number; answer: Answer }

const now = 1_767_225_600
const secret = 'whsec_Zm9yIHRlc3RzIG9ubHksIG5vdCBhIHJlYWwgb25l'
const other = 'whsec_YW5vdGhlciBvbmUgZm9yIHRlc3RzIG9ubHkgaGVyZQ'
const delivery = (events: unknown[], space?: number) => JSON.stringify({ id: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0', events }, null, space)
const event = { id: 'evt_0f1e2d3c4b5a69788796a5b4', type: 'notification.sent', ts: '2026-01-01T00:00:00.000Z' }
const body = delivery([event])
const sign = (text = body, by = secret, at = now) => signWebhook(by, text, new Date(at * 1000))
const [time = '', right = ''] = sign().split(',')
const hex = right.slice(3)
const digestOf = (text: string, by = secret) => createHmac('sha256', by).update(text).digest('hex')

const vector = (answer: Answer, name: string, more: Partial<Vector>): Vector => ({
  name,
  secrets: [secret],
  header: sign(),
  body,
  now,
  answer,
  ...more,
})
const bodies: Record<string, string> = {
  'no event': delivery([]),
  'a hundred events': delivery(Array.from({ length: 100 }, () => event)),
  umlauts: delivery([{ ...event, externalId: 'kündin é ñ' }]),
  emoji: delivery([{ ...event, externalId: '👩‍👩‍👧‍👦' }]),
  'right to left': delivery([{ ...event, externalId: 'مرحبا' }]),
  'escaped text': delivery([{ ...event, externalId: '"\\\n\t\u0001' }]),
  'line separators': delivery([{ ...event, externalId: '\u2028\u2029' }]),
  'spaces and line ends': `${delivery([event], 2)}\r\n`,
  'a dot and a comma': delivery([{ ...event, externalId: 't=1,v1=2.3' }]),
  'a number that loses digits when parsed': body.replace('"events"', '"n":12345678901234567890.10,"events"'),
  'the same name twice': body.replace('"events"', '"id":"dlv_66f0c1a2b3c4d5e6f7a8b9c0","events"'),
  'a long text': delivery([{ ...event, externalId: 'x'.repeat(5_000) }]),
}
const secrets: Record<string, string> = {
  'a short secret': 'x',
  'a secret as long as a block': 's'.repeat(64),
  'a secret longer than a block': 's'.repeat(65),
  'a secret of many bytes': 'é'.repeat(100),
}
const malformed: Record<string, string> = {
  'an empty header': '',
  'no signature': time,
  'no time': right,
  'an empty time': `t=,${right}`,
  'a time with a letter': `t=${now}x,${right}`,
  'a negative time': `t=-${now},${right}`,
  'a time with a fraction': `t=${now}.0,${right}`,
  'a time in hex': `t=0x69,${right}`,
  'a time of 13 digits': `t=1767225600000,${right}`,
  'two times': `${time},${time},${right}`,
  'a signature that is too short': `${time},v1=${hex.slice(1)}`,
  'a signature that is too long': `${time},v1=${hex}0`,
  'a signature with a letter beyond f': `${time},v1=${hex.slice(1)}g`,
  'a signature in capitals': `${time},v1=${'ABCDEF'.repeat(10)}ABCD`,
  'another version alone': `${time},v0=${hex}`,
  'a digest in base64': `${time},v1=${Buffer.from(hex, 'hex').toString('base64')}`,
  'the digest alone': hex,
  semicolons: `${time};${right}`,
}
const bad: Record<string, Partial<Vector>> = {
  'another secret': { secrets: [other] },
  'the secret without its prefix': { secrets: [secret.slice(6)] },
  'a byte more': { body: `${body} ` },
  'a byte less': { body: body.slice(0, -1) },
  'an empty body': { body: '' },
  'one letter changed': { body: body.replace('sent', 'Sent') },
  'the same JSON in another order': { body: JSON.stringify({ events: [event], id: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0' }) },
  'the same JSON with spaces': { body: delivery([event], 2) },
  'another time': { header: `t=${now + 1},${right}` },
  'a zero before the time': { header: `t=0${now},${right}` },
  'made over the body alone': { header: `${time},v1=${digestOf(body)}` },
  'made with a colon': { header: `${time},v1=${digestOf(`${now}:${body}`)}` },
  'made with an empty secret': { header: `${time},v1=${digestOf(`${now}.${body}`, '')}` },
  'one bit of the digest changed': { header: `${time},v1=${(Number.parseInt(hex[0] ?? '0', 16) ^ 1).toString(16)}${hex.slice(1)}` },
  'nothing but zeros': { header: `${time},v1=${'0'.repeat(64)}` },
  'of another delivery': { header: sign(delivery([])) },
  'old, and of another secret': { secrets: [other], now: now + 1_000 },
}

export const vectors: Vector[] = [
  ...Object.entries(bodies).map(([name, text]) => vector('ok', `a body with ${name}`, { body: text, header: sign(text) })),
  ...Object.entries(secrets).map(([name, by]) => vector('ok', name, { secrets: [by], header: sign(body, by) })),
  vector('ok', 'the first of two secrets', { secrets: [secret, other] }),
  vector('ok', 'the last of three secrets', { secrets: [other, 'whsec_third', secret] }),
  vector('ok', 'spaces in the header', { header: `${time}, ${right}` }),
  vector('ok', 'the signature before the time', { header: `${right},${time}` }),
  vector('ok', 'parts that nobody knows', { header: `${time},v0=abc,${right},v2=x,y` }),
  vector('ok', 'the second of two signatures', { header: `${time},v1=${'0'.repeat(64)},${right}` }),
  vector('ok', 'five minutes old', { now: now + 300 }),
  vector('ok', 'five minutes ahead', { now: now - 300 }),
  ...Object.entries(malformed).map(([name, header]) => vector('malformed', name, { header })),
  ...Object.entries(bad).map(([name, more]) => vector('bad_signature', name, more)),
  vector('too_old', 'a second more than five minutes old', { now: now + 301 }),
  vector('too_old', 'a day old', { now: now + 86_400 }),
  vector('too_new', 'a second more than five minutes ahead', { now: now - 301 }),
  vector('too_new', 'a day ahead', { now: now - 86_400 }),
]

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'signature-vectors.json'), `${JSON.stringify(vectors, null, 2)}\n`)

import { expect, test } from 'vitest'
import { prepareHead, type HeadField } from '../client/head.ts'
import { mostBlockBytes, RequestEncoder, writeBlock } from '../client/request-block.ts'
import { randomFrom } from '../testing/random.ts'
import { HpackDecoder } from './decoder.ts'

const fields: HeadField[] = [
  ['authorization', `bearer ${'x'.repeat(200)}`],
  ['apns-topic', 'org.example.app'],
  ['apns-push-type', 'alert'],
  ['apns-priority', '10'],
  ['apns-expiration', '1800000000'],
]
const head = prepareHead({ authority: 'api.push.apple.com', fields })

function blockOf(encoder: RequestEncoder, given = head, path = '/3/device/00', more?: readonly HeadField[]): Buffer {
  const bytes = encoder.head(given)
  const buffer = Buffer.alloc(mostBlockBytes(bytes, path, more))
  return buffer.subarray(0, writeBlock(buffer, 0, bytes, { path, ...(more && { more }) }, 7))
}

const decodeWith = (decoder: HpackDecoder, block: Buffer): string[] => {
  const list: string[] = []
  decoder.decode(block, 0, block.length, (name, value) => list.push(`${name}: ${value}`))
  return list
}
const newDecoder = () => new HpackDecoder({ fields: 100, bytes: 16_384 })
const listOf = (given: readonly HeadField[], path: string, more: readonly HeadField[] = []) => [
  ':method: POST',
  ':scheme: https',
  ':authority: api.push.apple.com',
  `:path: ${path}`,
  ...[...given, ['content-length', '7'], ...more].map(([name, value]) => `${name}: ${value}`),
]

test('a field that requests have in common takes one byte from its second use on, and pseudo-headers come first', () => {
  const [encoder, decoder] = [new RequestEncoder(), newDecoder()]
  const [first, second] = [blockOf(encoder), blockOf(encoder)]
  expect(decodeWith(decoder, first)).toEqual(listOf(fields, '/3/device/00'))
  expect(decodeWith(decoder, second)).toEqual(listOf(fields, '/3/device/00'))
  // One byte each: method, scheme, authority and five fields. Two bytes are the name and length of the path; then comes its text. Three bytes are the
  // name and length of the body's length; then comes its digit.
  expect(second).toHaveLength(3 + 5 + 2 + '/3/device/00'.length + 3 + 1)
})

test('the encoded common fields are used again, and are encoded anew when the table has changed', () => {
  const encoder = new RequestEncoder()
  encoder.head(head)
  const known = encoder.head(head)
  expect(encoder.head(head)).toBe(known)
  encoder.head(prepareHead({ authority: 'other', fields: [] }))
  expect(encoder.head(head)).not.toBe(known)
})

test('the path and a secret field are marked as never indexed, and neither enters the table', () => {
  const [encoder, decoder] = [new RequestEncoder(), newDecoder()]
  const secret = prepareHead({ authority: 'a', fields: [['authorization', 'bearer 1', 'never']] })
  blockOf(encoder, secret, '/token')
  const block = blockOf(encoder, secret, '/token')
  // POST, https, one index for the authority; 0001 with name index 4 (:path); 0001 with name index 23 (authorization); 0000 with name index 28
  // (content-length).
  expect(block).toEqual(
    Buffer.concat([
      Buffer.from([0x83, 0x87, 0xbe, 0x14, 6]),
      Buffer.from('/token'),
      Buffer.from([0x1f, 8, 8]),
      Buffer.from('bearer 1'),
      Buffer.from([0x0f, 13, 1]),
      Buffer.from('7'),
    ]),
  )
  decodeWith(decoder, blockOf(new RequestEncoder(), secret, '/token'))
  expect(decodeWith(decoder, Buffer.from([0xbe]))).toEqual([':authority: a'])
  expect(() => decodeWith(decoder, Buffer.from([0xbf]))).toThrow('no field')
})

test('when a peer empties and enlarges its table, the next block confirms both, and later blocks decode', () => {
  const [encoder, decoder] = [new RequestEncoder(), newDecoder()]
  decodeWith(decoder, blockOf(encoder))
  encoder.setTableSize(0)
  encoder.setTableSize(100)
  const block = blockOf(encoder)
  // First comes 0, because all entries were dropped, then 100.
  expect(block.subarray(0, 3)).toEqual(Buffer.from([0x20, 0x3f, 69]))
  expect(decodeWith(decoder, block)).toEqual(listOf(fields, '/3/device/00'))
  encoder.setTableSize(1_000_000)
  for (let n = 0; n < 3; n++) expect(decodeWith(decoder, blockOf(encoder))).toEqual(listOf(fields, '/3/device/00'))
  encoder.setTableSize(0)
  for (let n = 0; n < 3; n++) expect(decodeWith(decoder, blockOf(encoder))).toEqual(listOf(fields, '/3/device/00'))
})

test('2,000 header blocks of 40 sets of fields are decoded alike while the table size changes', () => {
  const random = randomFrom(7)
  const [encoder, decoder] = [new RequestEncoder(), newDecoder()]
  const heads = Array.from({ length: 40 }, (_, n) => {
    const own: HeadField[] = [
      ['authorization', `bearer ${String(n % 7).repeat(random(600))}`, n % 11 === 0 ? 'never' : 'indexed'],
      ['apns-topic', `org.example.app${n}`],
      ['apns-priority', n % 2 ? '5' : '10'],
      ['x-long', 'v'.repeat(random(2_300))],
      ['x-once', String(n), 'literal'],
    ]
    return { own, head: prepareHead({ authority: 'api.push.apple.com', fields: own }) }
  })
  for (let n = 0; n < 2_000; n++) {
    if (random(10) === 0)
      for (let times = random(3); times >= 0; times--) encoder.setTableSize([0, 50, 300, 1_000, 4_096, 65_536][random(6)] as number)
    const { own, head } = heads[random(heads.length)] as (typeof heads)[number]
    const more: HeadField[] = random(2)
      ? [
          ['apns-collapse-id', `c${n}`],
          ['x-secret', 's', 'never'],
        ]
      : []
    expect(decodeWith(decoder, blockOf(encoder, head, `/3/device/${n}`, more))).toEqual(listOf(own, `/3/device/${n}`, more))
  }
})

test.each<[what: string, field: HeadField]>([
  ['a name in capitals', ['Apns-Topic', 'hidden']],
  ['a field of HTTP/1.1', ['connection', 'hidden']],
  ['a line break in a value', ['x', 'hidden\r\nb']],
  ['a value of characters that are no bytes', ['x', 'hidden €']],
  ['a pseudo-header', [':path', 'hidden']],
  ['white space at an end', ['x', 'hidden ']],
])('%s in the common fields throws an error that does not have the value', (_, field) => {
  const make = () => prepareHead({ authority: 'a', fields: [field] })
  expect(make).toThrow(TypeError)
  expect(make).not.toThrow('hidden')
})

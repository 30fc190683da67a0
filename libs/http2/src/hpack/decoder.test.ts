import { expect, test } from 'vitest'
import { codeLengths, decodeHuffman } from './huffman.ts'
import { HpackDecoder } from './decoder.ts'
import { encodeAnswerBlock } from '../server/sender.ts'
import { staticTable } from './static-table.ts'

const limits = { fields: 100, bytes: 16_384 }

const decode = (decoder: HpackDecoder, block: Buffer) => {
  const fields: string[] = []
  decoder.decode(block, 0, block.length, (name, value) => fields.push(`${name}: ${value}`))
  return fields
}

test('the Huffman code is complete: every bit string begins with exactly one code', () => {
  expect(codeLengths).toHaveLength(257)
  expect(codeLengths.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1)
})

test('the static table has 61 entries, and four that were picked are in their places', () => {
  expect(staticTable).toHaveLength(61)
  expect([staticTable[7], staticTable[15], staticTable[22], staticTable[60]]).toEqual([
    { name: ':status', value: '200' },
    { name: 'accept-encoding', value: 'gzip, deflate' },
    { name: 'authorization', value: '' },
    { name: 'www-authenticate', value: '' },
  ])
})

// The example of RFC 7541 appendix C.4: three requests on one connection.
const requests: [block: string, fields: string[]][] = [
  ['828684418cf1e3c2e5f23a6ba0ab90f4ff', [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com']],
  ['828684be5886a8eb10649cbf', [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache']],
  [
    '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
    [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'],
  ],
]

test('the requests of RFC 7541 appendix C.4 are decoded', () => {
  const decoder = new HpackDecoder(limits)
  for (const [block, fields] of requests) expect(decode(decoder, Buffer.from(block, 'hex'))).toEqual(fields)
})

test('the decoder drops the oldest entries when its table is full, and finds none after the table was emptied', () => {
  const decoder = new HpackDecoder(limits)
  const literal = (value: string) => Buffer.concat([Buffer.from([0x40, 1, 0x61, value.length]), Buffer.from(value)])
  // Each entry counts 133 bytes, so 30 fit into 4,096.
  for (let n = 0; n < 2000; n++) decode(decoder, literal(String(n).padStart(100, '0')))
  expect(decode(decoder, Buffer.from([0x80 | 62]))).toEqual([`a: ${'1999'.padStart(100, '0')}`])
  expect(decode(decoder, Buffer.from([0x80 | 91]))).toEqual([`a: ${'1970'.padStart(100, '0')}`])
  expect(() => decode(decoder, Buffer.from([0x80 | 92]))).toThrow('no field')
  expect(() => decode(decoder, Buffer.from([0x20, 0x80 | 62]))).toThrow('no field')
})

test('the header block that the server encodes for an answer is decoded to the same fields', () => {
  const headers = { 'apns-id': 'x', 'retry-after': '7', location: 'l'.repeat(1000) }
  const block = encodeAnswerBlock(410, headers, true)
  expect(decode(new HpackDecoder(limits), Buffer.from(block))).toEqual([
    ':status: 410',
    'apns-id: x',
    'retry-after: 7',
    `location: ${'l'.repeat(1000)}`,
  ])
})

test.each([
  ['padding that is not all ones', '00'],
  ['EOS', 'fffffffc'],
  ['padding of over 7 bits', 'ffff'],
])('a Huffman string with %s is refused', (_, hex) => {
  const bytes = Buffer.from(hex, 'hex')
  expect(decodeHuffman(bytes, 0, bytes.length)).toBeUndefined()
})

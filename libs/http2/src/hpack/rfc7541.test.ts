import { expect, test } from 'vitest'
import { HpackDecoder } from './decoder.ts'
import { HpackEncoder, type Indexing } from './encoder.ts'
import { writeInteger } from './integer.ts'

// The examples of RFC 7541 appendix C, word for word.

type Example = { section: string; block: string; fields: readonly (readonly [name: string, value: string, indexing?: Indexing])[] }

const get = (authority: string, ...more: (readonly [string, string])[]) =>
  [[':method', 'GET'], [':scheme', 'http'], [':path', '/'], [':authority', authority], ...more] as const
const custom = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/index.html'],
  [':authority', 'www.example.com'],
  ['custom-key', 'custom-value'],
] as const
const answer = (status: string, seconds: string, ...more: (readonly [string, string])[]) =>
  [
    [':status', status],
    ['cache-control', 'private'],
    ['date', `Mon, 21 Oct 2013 20:13:${seconds} GMT`],
    ['location', 'https://www.example.com'],
    ...more,
  ] as const
const cookie = ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'] as const

/** The connections of the examples. The blocks of one connection share a table. */
const connections: { title: string; table: number; isHuffman: boolean; examples: Example[] }[] = [
  {
    title: 'C.2.1',
    table: 4096,
    isHuffman: false,
    examples: [
      { section: 'C.2.1', block: '400a637573746f6d2d6b65790d637573746f6d2d686561646572', fields: [['custom-key', 'custom-header']] },
    ],
  },
  {
    title: 'C.2.2',
    table: 4096,
    isHuffman: false,
    examples: [{ section: 'C.2.2', block: '040c2f73616d706c652f70617468', fields: [[':path', '/sample/path', 'literal']] }],
  },
  {
    title: 'C.2.3',
    table: 4096,
    isHuffman: false,
    examples: [{ section: 'C.2.3', block: '100870617373776f726406736563726574', fields: [['password', 'secret', 'never']] }],
  },
  { title: 'C.2.4', table: 4096, isHuffman: false, examples: [{ section: 'C.2.4', block: '82', fields: [[':method', 'GET']] }] },
  {
    title: 'C.3',
    table: 4096,
    isHuffman: false,
    examples: [
      { section: 'C.3.1', block: '828684410f7777772e6578616d706c652e636f6d', fields: get('www.example.com') },
      { section: 'C.3.2', block: '828684be58086e6f2d6361636865', fields: get('www.example.com', ['cache-control', 'no-cache']) },
      { section: 'C.3.3', block: '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565', fields: custom },
    ],
  },
  {
    title: 'C.4',
    table: 4096,
    isHuffman: true,
    examples: [
      { section: 'C.4.1', block: '828684418cf1e3c2e5f23a6ba0ab90f4ff', fields: get('www.example.com') },
      { section: 'C.4.2', block: '828684be5886a8eb10649cbf', fields: get('www.example.com', ['cache-control', 'no-cache']) },
      { section: 'C.4.3', block: '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf', fields: custom },
    ],
  },
  {
    title: 'C.5',
    table: 256,
    isHuffman: false,
    examples: [
      {
        section: 'C.5.1',
        block:
          '4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d',
        fields: answer('302', '21'),
      },
      { section: 'C.5.2', block: '4803333037c1c0bf', fields: answer('307', '21') },
      {
        section: 'C.5.3',
        block:
          '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
        fields: answer('200', '22', ['content-encoding', 'gzip'], cookie),
      },
    ],
  },
  {
    title: 'C.6',
    table: 256,
    isHuffman: true,
    examples: [
      {
        section: 'C.6.1',
        block: '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
        fields: answer('302', '21'),
      },
      { section: 'C.6.2', block: '4883640effc1c0bf', fields: answer('307', '21') },
      {
        section: 'C.6.3',
        block:
          '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
        fields: answer('200', '22', ['content-encoding', 'gzip'], cookie),
      },
    ],
  },
]

/** The bytes with which an encoder says "the table may hold 256 bytes". */
const tableOf256 = Buffer.from([0x3f, 0xe1, 0x01])

test.each(connections)('the header blocks of RFC 7541 appendix $title are decoded to their fields', ({ table, examples }) => {
  const decoder = new HpackDecoder({ fields: 100, bytes: 16_384 })
  const decode = (block: Buffer) => {
    const fields: (readonly [string, string])[] = []
    expect(decoder.decode(block, 0, block.length, (name, value) => fields.push([name, value]))).toBe(true)
    return fields
  }
  if (table === 256) decode(tableOf256)
  for (const { block, fields } of examples) expect(decode(Buffer.from(block, 'hex'))).toEqual(fields.map(([name, value]) => [name, value]))
})

test.each(connections.filter(({ isHuffman }) => !isHuffman))(
  'the fields of RFC 7541 appendix $title are encoded to their header blocks',
  ({ table, examples }) => {
    const encoder = new HpackEncoder()
    const buffer = Buffer.alloc(4096)
    encoder.setLimit(table)
    expect(buffer.subarray(0, encoder.beginBlock(buffer, 0))).toEqual(table === 256 ? tableOf256 : Buffer.alloc(0))
    for (const { block, fields } of examples) {
      let end = encoder.beginBlock(buffer, 0)
      for (const [name, value, indexing = 'indexed'] of fields) end = encoder.write(buffer, end, name, value, indexing)
      expect(buffer.toString('hex', 0, end)).toBe(block)
    }
  },
)

test.each([
  ['C.1.1', 10, 5, '0a'],
  ['C.1.2', 1337, 5, '1f9a0a'],
  ['C.1.3', 42, 8, '2a'],
])('the integer of RFC 7541 appendix %s is encoded', (_, value, prefixBits, hex) => {
  const buffer = Buffer.alloc(8)
  expect(buffer.toString('hex', 0, writeInteger(buffer, 0, 0, prefixBits, value))).toBe(hex)
})

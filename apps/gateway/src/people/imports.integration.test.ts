import { setTimeout } from 'node:timers/promises'
import { request as httpRequest } from 'node:http'
import * as calls from '@herald/contracts/calls/audience'
import { fault, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { largestImport, type ImportLot, type ImportReport } from '@herald/contracts/import'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, describe, expect, test } from 'vitest'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { givenImport } from '../testing/peer-answers.ts'
import { startPeers } from '../testing/start-peers.ts'
import { untilStill } from '../testing/until-still.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats }, { WEB_PUSH_ALLOWED_HOSTS: '*' })
const { appId } = await gateway.givenApp()
afterEach(() => peers.answers.clear())

const headers = { authorization: `Bearer ${adminToken}` }
const pathOf = (id: string, rest = '') => `/v1/admin/apps/${appId}/imports/${id}${rest}`

/**
 * Makes the fake of audience accept each lot (the rows of one call) at its offset and record the accepted lots. `beforeLot` may delay or refuse a
 * lot.
 */
function givenAudience(change: Partial<ImportReport> = {}) {
  const state = {
    report: { ...givenImport, id: newId(), ...change },
    header: null as string[] | null,
    tail: null as string | null,
    lots: [] as ImportLot[],
    asked: 0,
    beforeLot: async (_lot: ImportLot): Promise<void> => undefined,
  }
  peers.answers.set(calls.readImport.subject, () => ({ report: state.report, header: state.header, tail: state.tail }))
  peers.answers.set(calls.importLot.subject, async (request) => {
    const { lot } = request as { lot: ImportLot }
    state.asked += 1
    await state.beforeLot(lot)
    if (lot.offset !== state.report.offset) throw fault('invalid_state', 'elsewhere')
    state.lots.push(lot)
    state.header = lot.header ?? state.header
    state.tail = null
    const rows = state.report.rows + lot.rows.length + lot.rejected.length
    state.report = { ...state.report, offset: lot.nextOffset, bytes: lot.nextOffset, rows }
    return state.report
  })
  peers.answers.set(calls.keepImportTail.subject, (request) => {
    state.tail = (request as { tail: string }).tail
    return state.report
  })
  peers.answers.set(calls.finishImport.subject, (request) => {
    const { offset } = request as { offset: number }
    state.report = { ...state.report, state: offset === state.report.offset ? 'finished' : 'receiving' }
    return state.report
  })
  return state
}

const put = (id: string, offset: number | string, raw: string | Buffer, more: Record<string, string> = {}) =>
  gateway.ask({
    method: 'PUT',
    path: pathOf(id, `/data?offset=${offset}`),
    headers: { ...headers, 'content-type': 'text/csv', ...more },
    raw,
  })

const csvOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `android,token-${from + n},person-${from + n}\n`).join('')
const header = 'platform,token,externalId\n'

// spec: administration/import-data, administration/import-exactly-once
test('an imported file reaches audience in groups of at most 200 rows without gaps; its last needs no line end', async () => {
  const audience = givenAudience()
  const file = `${header}${csvOf(1_234)}ios,last,`

  const told = await put(audience.report.id, 0, file)

  expect(told).toMatchObject({ status: 200, body: { rows: 1_234, offset: file.lastIndexOf('ios') } })
  expect(audience.lots.map(({ rows }) => rows.length)).toEqual([200, 200, 200, 200, 200, 200, 34])
  audience.lots.forEach((lot, place) => {
    expect(lot.offset).toBe(audience.lots[place - 1]?.nextOffset ?? 0)
    expect(lot.firstRow).toBe(place * 200 + 1)
    expect(lot.rows.map(({ row }) => row)).toEqual(lot.rows.map((_, index) => lot.firstRow + index))
  })
  expect(audience.lots[0]?.header).toEqual(['platform', 'token', 'externalId'])

  const finished = await gateway.ask({ method: 'POST', path: pathOf(audience.report.id, '/finish'), headers })
  expect(finished).toMatchObject({ status: 200, body: { state: 'finished', rows: 1_235, offset: Buffer.byteLength(file) } })
  expect(audience.lots.at(-1)?.rows).toEqual([{ row: 1_235, device: { platform: 'ios', token: 'last' } }])
})

// spec: administration/import-row, administration/import-no-row
test('an imported file may end its lines with CR, and audience is told where its header ends', async () => {
  const audience = givenAudience()
  const file = `${header}${csvOf(300)}`.replaceAll('\n', '\r')

  await put(audience.report.id, 0, file)
  await gateway.ask({ method: 'POST', path: pathOf(audience.report.id, '/finish'), headers })

  expect(audience.report).toMatchObject({ state: 'finished', rows: 300, offset: file.length })
  expect(audience.lots[0]?.headerEnd).toBe(header.length)
})

// spec: administration/import-left-out
test('audience gets the devices of rows with wrong values, and how often a value of each column was left out', async () => {
  const audience = givenAudience()

  await put(audience.report.id, 0, 'platform,token,timezone,country\nios,a,GMT+03:00,DE\nios,b,UTC,Germany\nios,c,GMT-6,x\n')

  expect(audience.lots.map(({ rows, rejected, warnings }) => [rows.length, rejected.length, warnings])).toEqual([
    [3, 0, { 'left_out:timezone': 2, 'left_out:country': 2 }],
  ])
})

test('an imported file that is sent in parts, split anywhere, gives the same rows as in one part', async () => {
  const whole = givenAudience()
  const file = Buffer.from(`\uFEFF${header}${csvOf(40)}"ios","a""b",ü\r\n\n${csvOf(7, 100)}`)
  await put(whole.report.id, 0, file)
  const inParts = givenAudience()

  while (inParts.report.offset < file.length) {
    const size = 1 + (inParts.asked % 7) * 61
    const from = inParts.report.offset
    const before = from
    for (let to = from + size; inParts.report.offset === before; to += size)
      await put(inParts.report.id, from, file.subarray(from, Math.min(to, file.length)))
  }

  const rowsOf = ({ lots }: typeof whole) =>
    lots.flatMap(({ rows, rejected }) => [...rows, ...rejected]).toSorted((one, other) => one.row - other.row)
  expect(rowsOf(inParts)).toEqual(rowsOf(whole))
  expect(rowsOf(whole)).toHaveLength(48)
})

test('an import’s part at a wrong offset is refused with the right one; an ended import accepts nothing', async () => {
  const audience = givenAudience({ offset: 77 })

  expect(await put(audience.report.id, 0, csvOf(1))).toMatchObject({
    status: 409,
    body: { error: { code: 'invalid_state', details: [{ path: 'offset', message: 'must be 77' }] } },
  })
  for (const offset of ['', '-1', '1.5', 'x', String(largestImport * 10)])
    expect(await put(audience.report.id, offset, csvOf(1))).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'offset' }] } },
    })
  const ended = givenAudience({ state: 'finished' })
  expect(await put(ended.report.id, 0, csvOf(1))).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
  expect([audience.asked, ended.asked]).toEqual([0, 0])
})

test('an import refuses other types, compressed files and parts beyond 4 GiB before reading rows', async () => {
  const audience = givenAudience()

  for (const change of [
    { 'content-type': 'application/json' },
    { 'content-type': 'application/x-ndjson' },
    { 'content-encoding': 'gzip' },
    { 'content-type': 'text/csv; charset=latin1' },
  ])
    expect(await put(audience.report.id, 0, header, change)).toMatchObject({
      status: 415,
      body: { error: { code: 'unsupported_media_type' } },
    })
  const large = givenAudience({ offset: largestImport - 10 })
  expect(await put(large.report.id, largestImport - 10, csvOf(1))).toMatchObject({
    status: 413,
    body: { error: { code: 'body_too_large' } },
  })
  expect(audience.asked + large.asked).toBe(0)
})

// spec: administration/import-rejected
test('an imported file without a required column is refused with the name of that column, and nothing is written', async () => {
  const audience = givenAudience()

  expect(await put(audience.report.id, 0, `token\n${csvOf(3)}`)).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_body', details: [{ path: 'platform', message: 'is not a column of the file' }] } },
  })
  expect(await put(audience.report.id, 0, `"open\n${'x'.repeat(2_000_000)}`)).toMatchObject({ status: 422 })
  expect(audience.asked).toBe(0)
})

describe('the rows that an import sends at once', () => {
  test('an import’s rows are sent again while audience is away, and not written twice after a lost answer', async () => {
    const audience = givenAudience()
    let failures = 0
    audience.beforeLot = async (lot) => {
      failures += 1
      if (failures === 1) throw queueUnavailable()
      if (failures !== 2) return
      // This time the lot is written, but its answer is lost.
      audience.lots.push(lot)
      audience.report = { ...audience.report, offset: lot.nextOffset, rows: lot.rows.length }
      throw queueUnavailable()
    }

    const told = await put(audience.report.id, 0, header + csvOf(300))

    expect(told).toMatchObject({ status: 200, body: { rows: 300 } })
    expect(audience.lots.map(({ rows }) => rows.length)).toEqual([200, 100])
  })

  test('an upload is answered 409 with the right offset when audience has the import at another', async () => {
    const audience = givenAudience()
    audience.beforeLot = async () => {
      throw fault('invalid_state', 'The import goes on at offset 99.', [{ path: 'offset', message: 'must be 99' }])
    }

    expect(await put(audience.report.id, 0, header + csvOf(5_000))).toMatchObject({
      status: 409,
      body: { error: { details: [{ path: 'offset', message: 'must be 99' }] } },
    })
  })

  test('an import sends at once no more rows than a call can carry, whatever the rows contain', async () => {
    const audience = givenAudience({ format: 'jsonl' })
    // Each character takes six characters in the JSON of a call.
    const tags = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`t${n}`, '\u0001'.repeat(1_000)]))
    const file = Array.from({ length: 60 }, (_, n) => `${JSON.stringify({ platform: 'ios', token: `t${n}`, tags })}\n`).join('')

    expect(await put(audience.report.id, 0, file, { 'content-type': 'application/x-ndjson' })).toMatchObject({
      status: 200,
      body: { rows: 60 },
    })
    expect(audience.lots.flatMap(({ rows }) => rows)).toHaveLength(60)
  })
})

// spec: administration/import-pace
test('an import sends no more rows per second than the operator allows', async () => {
  const audience = givenAudience({ maxRowsPerSecond: 1_000 })
  const at: number[] = []
  audience.beforeLot = async () => void at.push(performance.now())

  await put(audience.report.id, 0, header + csvOf(2_000))

  expect(at).toHaveLength(10)
  expect((at[9] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(1_000)
})

/** Sends a body piece by piece: `next` gives each piece, and undefined at the end. */
function upload(id: string, next: (sent: number) => Promise<string | undefined>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: gateway.port,
        method: 'PUT',
        path: pathOf(id, '/data?offset=0'),
        agent: false,
        headers: { ...headers, 'content-type': 'text/csv', 'transfer-encoding': 'chunked' },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    request.on('error', reject)
    const go = async () => {
      for (let sent = 0; ; sent += 1) {
        const part = await next(sent)
        if (part === undefined) break
        await new Promise((done) => request.write(part, done))
      }
      request.end()
    }
    go().catch(reject)
  })
}

test('the upload of an import may take longer than other requests', async () => {
  const audience = givenAudience()
  const startedAt = performance.now()

  const told = await upload(audience.report.id, async (sent) => {
    if (sent === 0) return header
    // Other requests may take 15 s; a piece every half second keeps this upload going for longer.
    await setTimeout(500)
    return performance.now() - startedAt > 18_000 ? undefined : csvOf(1, sent)
  })

  expect(told.status).toBe(200)
  expect(JSON.parse(told.text)).toMatchObject({ rows: audience.lots.flatMap(({ rows }) => rows).length })
  expect(audience.report.rows).toBeGreaterThan(10)
}, 60_000)

test('while audience is silent the gateway takes under 50 MB of an endless file; then every row is written', async () => {
  const audience = givenAudience()
  const held = Promise.withResolvers<void>()
  audience.beforeLot = () => held.promise
  const rows = csvOf(2_000)
  let written = 0
  let isEnded = false

  const told = upload(audience.report.id, async (sent) => {
    if (sent === 0) return header
    if (isEnded) return undefined
    written += rows.length
    return rows
  })
  // The kernel and both ends of the connection hold some megabytes of the file.
  await untilStill(() => written)
  expect(audience.asked).toBe(1)
  expect(written).toBeLessThan(50_000_000)
  isEnded = true
  held.resolve()

  expect((await told).status).toBe(200)
  expect(audience.lots.flatMap((lot) => lot.rows)).toHaveLength((written / rows.length) * 2_000)
}, 60_000)

test('the errors of an import are listed in pages, by row, and a wrong cursor is refused', async () => {
  const { id } = givenAudience().report
  let asked: unknown
  peers.answers.set(calls.listImportErrors.subject, (request) => {
    asked = request
    return { items: [{ row: 7, column: 'token', code: 'invalid_field', message: 'is required' }], nextCursor: '7' }
  })

  expect(await gateway.ask({ path: pathOf(id, '/errors?limit=1&cursor=5'), headers })).toMatchObject({
    status: 200,
    body: { items: [{ row: 7 }], nextCursor: '7' },
  })
  expect(asked).toMatchObject({ limit: 1, after: 5 })
  expect(await gateway.ask({ path: pathOf(id, '/errors?cursor=x'), headers })).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'cursor' }] } },
  })
})

test.each([
  [{}, 'format'],
  [{ format: 'xml' }, 'format'],
  [{ format: 'jsonl', columns: { token: 'fcm' } }, 'columns'],
  [{ format: 'csv', columns: { password: 'x' } }, 'columns.password'],
  [{ format: 'csv', maxRowsPerSecond: 99 }, 'maxRowsPerSecond'],
  [{ format: 'csv', onExisting: 'replace' }, 'onExisting'],
  [{ format: 'csv', surprise: true }, 'surprise'],
])('an import cannot be begun with %j, and the error names %s', async (body, at) => {
  expect(await gateway.ask({ method: 'POST', path: `/v1/admin/apps/${appId}/imports`, headers, body })).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_body', details: [{ path: at }] } },
  })
})

test('the imports of an unknown app are 404', async () => {
  for (const [method, path] of [
    ['POST', ''],
    ['GET', ''],
    ['GET', `/${newId()}`],
    ['GET', `/${newId()}/errors`],
    ['POST', `/${newId()}/finish`],
    ['DELETE', `/${newId()}`],
  ] as const)
    expect(
      await gateway.ask({
        method,
        path: `/v1/admin/apps/${newId()}/imports${path}`,
        headers,
        ...(method === 'POST' && path === '' ? { body: { format: 'csv' } } : {}),
      }),
    ).toMatchObject({ status: 404 })
})

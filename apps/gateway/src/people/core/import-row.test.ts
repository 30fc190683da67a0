import { createECDH } from 'node:crypto'
import { ImportedDevice, type ImportFormat } from '@herald/contracts/import'
import { describe, expect, test, vi } from 'vitest'
import { readColumns, readRow } from './import-row.ts'
import { withZone } from './import-values.ts'

const csv = { format: 'csv', assumeOptedIn: false } as const
const anywhere = { allowPrivate: false, hosts: ['*'] }
const point = createECDH('prime256v1').generateKeys()
const keys = { p256dh: point.toString('base64url'), auth: Buffer.alloc(16, 1).toString('base64url') }

function readCsv(row: Record<string, string>, { format = 'csv', web = 'skip' }: { format?: ImportFormat; web?: 'skip' | 'import' } = {}) {
  const columns = readColumns({ format, columns: null, assumeOptedIn: true }, Object.keys(row))
  return readRow({ end: 0, fields: Object.values(row) }, { format, web }, columns, anywhere)
}
const readJson = (text: string, web: 'skip' | 'import' = 'import') =>
  readRow({ end: 0, text }, { format: 'jsonl', web }, undefined, anywhere)

// spec: administration/import-row
test('a row of an imported CSV file has the fields of a registration, and its empty fields are ignored', () => {
  const row = {
    platform: 'android',
    token: 'a:token',
    externalId: 'ann',
    tags: '{"plan":"pro","age":30}',
    language: 'PT_br',
    timezone: 'europe/BERLIN',
    country: 'de',
    appVersion: '',
    optedIn: 'f',
    sessionCount: '12',
    createdAt: '2024-01-31',
    lastActiveAt: '2024-02-01 08:30:00+01',
    preferences: '{"offers":false}',
    somethingElse: 'not read',
  }

  expect(readCsv(row)).toEqual({
    device: {
      platform: 'android',
      token: 'a:token',
      externalId: 'ann',
      tags: { plan: 'pro', age: 30 },
      language: 'pt-BR',
      timezone: 'Europe/Berlin',
      country: 'DE',
      optedIn: false,
      sessionCount: 12,
      createdAt: '2024-01-31T00:00:00.000Z',
      lastActiveAt: '2024-02-01T07:30:00.000Z',
      preferences: { offers: false },
    },
  })
})

test('an imported file without a required column is refused with the name of that column, before a row is read', () => {
  expect(() => readColumns({ ...csv, columns: null }, ['token', 'externalId'])).toThrow('platform is not a column of the file')
  expect(() => readColumns({ ...csv, columns: null }, ['platform'])).toThrow('token is not a column of the file, and neither is endpoint')
  expect(() => readColumns({ ...csv, columns: { externalId: 'customer' } }, ['platform', 'token'])).toThrow(
    'columns.externalId is not a column of the file',
  )
  expect(() => readColumns({ ...csv, format: 'onesignal_csv', columns: null }, ['identifier'])).toThrow(
    'device_type is not a column of the file',
  )
})

test('columns of an imported file are found by the names that the import gives for them', () => {
  const columns = readColumns({ ...csv, columns: { externalId: 'customer no', token: 'fcm' } }, ['customer no', 'fcm', 'platform'])

  expect(readRow({ end: 0, fields: ['c-7', 'tok', 'ios'] }, { format: 'csv', web: 'skip' }, columns, anywhere)).toEqual({
    device: { platform: 'ios', token: 'tok', externalId: 'c-7' },
  })
  expect(readRow({ end: 0, fields: ['null', 'tok', 'ios'] }, { format: 'csv', web: 'skip' }, columns, anywhere)).toMatchObject({
    rejected: { column: 'customer no', code: 'invalid_field' },
  })
})

describe('a wrong row of an import', () => {
  // spec: administration/import-rejected
  test.each([
    [{ platform: 'ios', token: 'abc', externalId: 'undefined' }, 'externalId', 'invalid_field'],
    [{ platform: 'ios', token: 'abc', externalId: 'a\u0000b' }, 'externalId', 'invalid_field'],
    [{ platform: 'ios', token: 'has space' }, 'token', 'invalid_field'],
    [{ platform: 'ios', token: '' }, 'token', 'invalid_field'],
    [{ platform: 'palm', token: 'abc' }, 'platform', 'invalid_field'],
    [{ platform: 'ios', token: 'abc', externalId: '..' }, 'externalId', 'invalid_field'],
    [{ platform: 'ios', token: '<abc>' }, 'token', 'invalid_field'],
    [{ platform: 'ios', token: 'has space', timezone: 'Mars/Base' }, 'token', 'invalid_field'],
    [{ platform: 'ios', token: 'abc', optedIn: 'perhaps' }, 'optedIn', 'invalid_field'],
    [{ platform: 'ios', token: 'dQw4:APA91bH' }, 'token', 'ios_fcm_token'],
  ])('the imported row %j is rejected, and the error names its wrong column', (row, column, code) => {
    expect(readCsv(row)).toMatchObject({ rejected: { column, code } })
  })

  test('the error of a wrong row of an import does not contain the row’s values', () => {
    const canary = 'canary-5d1f'
    const wrong = [
      readCsv({ platform: canary, token: 'abc' }),
      readCsv({ platform: 'ios', token: `${canary} :` }),
      readCsv({ platform: 'ios', token: 'abc', externalId: canary.repeat(20) }),
      readCsv({ platform: 'web', token: '', endpoint: `http://${canary}/`, ...keys }, { web: 'import' }),
      readCsv({ device_type: '0', identifier: `${canary}:x` }, { format: 'onesignal_csv' }),
      readJson(`{"${canary}":1,"platform":"ios","token":"a"}`),
      readJson(canary),
    ]
    const leftOut = [
      readCsv({ platform: 'ios', token: 'abc', tags: `{"${canary} x":1}` }),
      readCsv({ platform: 'ios', token: 'abc', language: canary.repeat(9) }),
      readJson(`{"platform":"ios","token":"a","tags":{"${canary}":{"${canary}":1}}}`),
    ]

    expect(wrong.every((row) => 'rejected' in row)).toBe(true)
    expect(leftOut.every((row) => 'device' in row)).toBe(true)
    expect(JSON.stringify([wrong, leftOut])).not.toContain(canary)
  })

  test('an imported row of JSON is rejected when it is no object or has an unknown field', () => {
    expect(readJson('[1]')).toMatchObject({ rejected: { column: null, code: 'invalid_json' } })
    expect(readJson('{"platform":')).toMatchObject({ rejected: { column: null, code: 'invalid_json' } })
    expect(readJson('{"platform":"ios","token":"a","pushToken":"b"}')).toMatchObject({ rejected: { column: null, code: 'invalid_field' } })
  })

  // spec: administration/import-rejected
  test.each(['"tags.plan":"gold"', '"language.code":"de"', '"appVersion.x":1', '"tags":{"plan":"pro"},"tags.plan":"gold"'])(
    'an imported JSON row is rejected for an unknown field of a known one and a dot: %s',
    (fields) => {
      expect(readJson(`{"platform":"android","token":"x",${fields}}`)).toEqual({
        rejected: { column: null, code: 'invalid_field', message: 'is not a known field' },
      })
    },
  )

  test('an imported row is rejected when it has another number of fields than the header', () => {
    const columns = readColumns({ ...csv, columns: null }, ['platform', 'token'])
    expect(readRow({ end: 0, fields: ['ios'] }, { format: 'csv', web: 'skip' }, columns, anywhere)).toMatchObject({
      rejected: { column: null, code: 'wrong_column_count' },
    })
  })
})

describe('a wrong value that a device can do without', () => {
  // spec: administration/import-left-out
  test.each([
    ['timezone', 'GMT+03:00'],
    ['timezone', 'GMT-06:00'],
    ['language', 'not a language'],
    ['country', 'Germany'],
    ['appVersion', 'x'.repeat(256)],
    ['sdkVersion', 'a\nb'],
    ['osVersion', 'a\u0007b'],
    ['deviceModel', 'x'.repeat(256)],
    ['browser', 'of a phone'],
    ['standalone', 'perhaps'],
    ['sessionCount', '-1'],
    ['createdAt', 'yesterday'],
    ['lastActiveAt', '31.01.2024'],
    ['tags', 'plan=pro'],
    ['tags', '[1]'],
    ['preferences', 'offers'],
    ['preferences', '{"offers":"no"}'],
    ['preferences', '{"Not an id":true}'],
  ])('an import leaves the %s %j out, keeps the device, and names the column in a warning', (column, value) => {
    const row = { platform: 'ios', token: 'abc', externalId: 'ann', [column]: value }
    expect(readCsv(row)).toEqual({ device: { platform: 'ios', token: 'abc', externalId: 'ann' }, warnings: [`left_out:${column}`] })
  })

  // spec: administration/import-left-out
  test.each([
    ['{"plan":"pro","no name":1,"a.b":2}', { plan: 'pro', 'a.b': 2 }],
    ['{"a":{"b":1},"a.b":2}', { 'a.b': 2 }],
    ['{"__proto__":{"a":1},"plan":"pro"}', { plan: 'pro' }],
    ['{"big":9007199254740993,"huge":1e400,"plan":"pro"}', { plan: 'pro' }],
    [`{"${'x'.repeat(400)}":1,"plan":"pro"}`, { plan: 'pro' }],
    ['{"plan":"gold","plan.tier":null}', { plan: 'gold' }],
    ['{"plan.tier":"a","plan":null}', { 'plan.tier': 'a' }],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`no name ${n}`, n]).concat([['plan', 1]]))), { plan: 1 }],
  ])('an import leaves out only the wrong ones of the tags %s', (tags, kept) => {
    expect(readCsv({ platform: 'ios', token: 'abc', tags })).toEqual({
      device: { platform: 'ios', token: 'abc', ...(kept && { tags: kept }) },
      warnings: ['left_out:tags'],
    })
  })

  // spec: administration/import-left-out
  test('a row with very many wrong tags is read with little work, and above 1,000 loses them all', () => {
    const wrong = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`no name ${n}`, n]))
    const read = (tags: object) => readJson(JSON.stringify({ platform: 'ios', token: 'a', tags }))
    const parse = vi.spyOn(ImportedDevice, 'safeParse')
    try {
      expect(read({ ...wrong(999), plan: 'pro' })).toEqual({
        device: { platform: 'ios', token: 'a', tags: { plan: 'pro' } },
        warnings: ['left_out:tags'],
      })
      expect(read({ ...wrong(100_000), plan: 'pro' })).toEqual({
        device: { platform: 'ios', token: 'a' },
        warnings: ['left_out:tags'],
      })
      expect(parse).toHaveBeenCalledTimes(2)
    } finally {
      parse.mockRestore()
    }
  })

  // spec: administration/import-left-out
  test('the warning names the column of the file, each column once, in every format', () => {
    const columns = readColumns({ ...csv, columns: { timezone: 'tz', language: 'lang' } }, ['platform', 'token', 'tz', 'lang'])
    expect(readRow({ end: 0, fields: ['ios', 'abc', 'x', '!'] }, { format: 'csv', web: 'skip' }, columns, anywhere)).toMatchObject({
      warnings: ['left_out:lang', 'left_out:tz'],
    })
    expect(readJson('{"platform":"ios","token":"a","language":null,"tags":{"a b":1,"c d":2}}')).toEqual({
      device: { platform: 'ios', token: 'a', tags: {} },
      warnings: ['left_out:tags', 'left_out:language'],
    })
    expect(readCsv({ device_type: '0', identifier: 'a', external_id: 'ann', timezone_id: 'GMT+1x' }, { format: 'onesignal_csv' })).toEqual({
      device: { platform: 'ios', token: 'a', externalId: 'ann', optedIn: true },
      warnings: ['left_out:timezone_id'],
    })
  })
})

test('a header with another line end than LF, CRLF and CR is refused: the whole file would be it', () => {
  for (const lineEnd of ['\u2028', '\u0085', '\v'])
    expect(() => readColumns({ ...csv, columns: null }, ['token', 'platform', `externalId${lineEnd}abc`, 'ios', 'ann'])).toThrow(
      'LF, CRLF or CR',
    )
})

// spec: administration/import-web, identity/endpoint-host
test('an import skips browsers unless it asks for them; then they must be valid registrations', () => {
  const browser = { platform: 'web', token: '', endpoint: 'https://fcm.googleapis.com/x', ...keys }
  const strict = { allowPrivate: false, hosts: ['*.push.apple.com'] }
  const columns = readColumns({ ...csv, columns: null }, Object.keys(browser))

  expect(readCsv(browser)).toMatchObject({ rejected: { code: 'web_skipped' } })
  expect(readCsv(browser, { web: 'import' })).toEqual({ device: { platform: 'web', endpoint: 'https://fcm.googleapis.com/x', keys } })
  expect(readCsv({ ...browser, auth: 'short' }, { web: 'import' })).toMatchObject({ rejected: { column: 'auth', code: 'invalid_field' } })
  expect(readCsv({ ...browser, auth: '' }, { web: 'import' })).toMatchObject({ rejected: { column: 'auth', code: 'invalid_field' } })
  expect(readRow({ end: 0, fields: Object.values(browser) }, { format: 'csv', web: 'import' }, columns, strict)).toMatchObject({
    rejected: { column: 'endpoint', code: 'invalid_field' },
  })
})

describe('an import of OneSignal’s export', () => {
  const exported = {
    id: '00000000-0000-0000-0000-000000000000',
    identifier: 'abcdef0123456789',
    session_count: '7',
    language: 'de',
    timezone: '3600',
    game_version: '1.2',
    device_os: '17.1',
    device_type: '0',
    device_model: 'iPhone15,2',
    ad_id: 'not-read',
    tags: '{"plan":"pro"}',
    last_active: '2024-05-01 10:20:30',
    playtime: '0',
    amount_spent: '9.99',
    created_at: '2023-01-02 03:04:05',
    invalid_identifier: 'f',
    country: 'de',
    ip: '192.0.2.1',
    external_user_id: 'ann',
    timezone_id: 'Europe/Berlin',
    web_auth: '',
    web_p256: '',
    notification_types: '1',
  }
  const read = (change: Record<string, string> = {}) => readCsv({ ...exported, ...change }, { format: 'onesignal_csv', web: 'import' })

  // spec: administration/import-onesignal
  test('a row of a OneSignal export becomes a device with its user, and nothing else is read', () => {
    expect(read()).toEqual({
      device: {
        platform: 'ios',
        token: 'abcdef0123456789',
        externalId: 'ann',
        tags: { plan: 'pro' },
        language: 'de',
        timezone: 'Europe/Berlin',
        country: 'DE',
        appVersion: '1.2',
        osVersion: '17.1',
        deviceModel: 'iPhone15,2',
        sessionCount: 7,
        createdAt: '2023-01-02T03:04:05.000Z',
        lastActiveAt: '2024-05-01T10:20:30.000Z',
        optedIn: true,
      },
    })
  })

  test.each([
    ['0', 'ios'],
    ['1', 'android'],
    ['5', 'web'],
    ['8', 'web'],
    ['17', 'web'],
  ])('OneSignal’s device_type %s is imported as %s', (device_type, platform) => {
    const web = {
      identifier: 'https://updates.push.services.mozilla.com/wpush/v2/x',
      web_p256: point.toString('base64'),
      web_auth: Buffer.alloc(16, 251).toString('base64'),
    }
    expect(read({ device_type, ...(platform === 'web' ? web : {}) })).toMatchObject({ device: { platform } })
  })

  test.each(['2', '3', '4', '6', '7', '9', '10', '11', '14', '', 'ios'])('OneSignal’s device_type "%s" is rejected', (device_type) => {
    expect(read({ device_type })).toMatchObject({ rejected: { column: 'device_type', code: 'unsupported_device_type' } })
  })

  test.each([
    [{ invalid_identifier: 't' }, false],
    [{ invalid_identifier: 'true' }, false],
    [{ notification_types: '0' }, false],
    [{ notification_types: '-2' }, false],
    [{ notification_types: '-99' }, false],
    [{ notification_types: '' }, true],
    [{ notification_types: '31' }, true],
  ])('a OneSignal row with %j is opted in: %s', (change, optedIn) => {
    expect(read(change)).toMatchObject({ device: { optedIn } })
  })

  test('a OneSignal row with only the seconds from UTC is imported without a time zone and with a warning', () => {
    expect(read({ timezone_id: '' })).toMatchObject({ warnings: ['timezone_without_name'] })
    expect(read({ timezone_id: '' })).not.toHaveProperty('device.timezone')
    expect(read({ timezone_id: '', timezone: '' })).not.toHaveProperty('warnings')
  })

  // spec: administration/import-onesignal
  test('a OneSignal row without an external id is imported with a warning', () => {
    expect(read({ external_user_id: '' })).toMatchObject({ device: { platform: 'ios' }, warnings: ['no_external_id'] })
  })

  // spec: administration/import-opted-in
  test('a OneSignal export without notification_types is refused at that column, unless the operator assumes that everybody has opted in', () => {
    const header = ['identifier', 'device_type']
    const settings = { format: 'onesignal_csv', columns: null } as const
    expect(() => readColumns({ ...settings, assumeOptedIn: false }, header)).toThrow('notification_types is not a column of the file')
    const columns = readColumns({ ...settings, assumeOptedIn: true }, header)
    expect(readRow({ end: 0, fields: ['a', '0'] }, { format: 'onesignal_csv', web: 'skip' }, columns, anywhere)).toMatchObject({
      device: { optedIn: true },
    })
    expect(readColumns({ ...settings, assumeOptedIn: false }, [...header, 'notification_types']).width).toBe(3)
  })

  test('OneSignal’s external id may be in either of two columns, and an error names the right one', () => {
    expect(readCsv({ device_type: '1', identifier: 'a:b', external_id: 'bob' }, { format: 'onesignal_csv' })).toMatchObject({
      device: { externalId: 'bob' },
    })
    expect(read({ external_user_id: 'NaN' })).toMatchObject({ rejected: { column: 'external_user_id' } })
    expect(readCsv({ device_type: '1', identifier: 'a:b', external_id: 'NaN' }, { format: 'onesignal_csv' })).toMatchObject({
      rejected: { column: 'external_id' },
    })
    expect(read({ identifier: '' })).toMatchObject({ rejected: { column: 'identifier', code: 'invalid_field' } })
  })
})

test.each([
  ['2024-01-31', '2024-01-31T00:00:00Z'],
  ['2024-01-31 08:00', '2024-01-31T08:00Z'],
  ['2024-01-31 08:00:01.123456', '2024-01-31T08:00:01.123456Z'],
  ['2024-01-31 08:00:00 UTC', '2024-01-31T08:00:00Z'],
  ['2024-01-31T08:00:00Z', '2024-01-31T08:00:00Z'],
  ['2024-01-31T08:00:00+0230', '2024-01-31T08:00:00+02:30'],
  ['2024-01-31 08:00:00-05', '2024-01-31T08:00:00-05:00'],
  ['31.01.2024', '31.01.2024'],
])('the time %s in an imported file is read as %s', (written, iso) => {
  expect(withZone(written)).toBe(iso)
})

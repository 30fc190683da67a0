import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const now = new Date('2026-10-21T07:28:00.000Z')

// spec: providers/retry-after, webhooks/retry-after
test.each<[header: unknown, ms: number | null]>([
  ['7', 7_000],
  ['0', 0],
  ['007', 7_000],
  [' 7\t', 7_000],
  ['3600', 3_600_000],
  ['3601', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  ['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
  ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
  ['Wed, 21 Oct 2026 07:28:60 GMT', 60_000],
  ['Wednesday, 21-Oct-26 07:28:10 GMT', 10_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ['Wed Oct 21 07:28:10 2026', 10_000],
  ['Sun Nov  6 08:49:37 1994', 0],
])('the header Retry-After %o on Wed, 21 Oct 2026 at 07:28:00 GMT asks for a wait of %s ms', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})

// spec: providers/retry-after, webhooks/retry-after
test.each<unknown>([
  '-7',
  '+5',
  '1.5',
  '7.0',
  '1e3',
  '0x10',
  '7s',
  '7, 7',
  '７',
  'soon',
  'Infinity',
  '',
  ' ',
  'Oct 2026',
  '2026-10-21',
  '2026-10-21T07:28:10Z',
  '21 Oct 2026 07:28:10 GMT',
  'Wed, 21 Oct 2026 07:28:10',
  'Wed, 21 Oct 2026 07:28:10 +0200',
  'Wed, 21 Oct 2026 07:28:10 UTC',
  'wed, 21 oct 2026 07:28:10 gmt',
  'Wed, 21 Oct 26 07:28:10 GMT',
  'Wed, 1 Oct 2026 07:28:10 GMT',
  'Fri, 30 Feb 2026 07:28:10 GMT',
  'Wed, 00 Oct 2026 07:28:10 GMT',
  'Wed, 21 Oct 2026 24:00:00 GMT',
  'Wed, 21 Oct 2026 07:60:00 GMT',
  'Wed, 21 Oct 2026 07:28:61 GMT',
  'Wed, 21 Oct 2026 07:28:10 GMT, Wed, 21 Oct 2026 07:28:10 GMT',
  undefined,
  7,
  ['7'],
])('the header Retry-After %o asks for no wait', (header) => {
  expect(retryAfterMs(header, now)).toBeNull()
})

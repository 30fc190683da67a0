import { failureCodes } from '@herald/contracts/outcome'
import { remedies } from '@herald/contracts/remedies'
import { expect, test } from 'vitest'
import { openComplaints, type Complaint } from './complain.ts'

function given() {
  const clock = { ms: 0 }
  const lines: { fields: object; text: string }[] = []
  const complain = openComplaints({ warn: (fields: object, text: string) => void lines.push({ fields, text }) }, () => clock.ms)
  return { clock, lines, complain }
}
const complaint = (change: Partial<Complaint> = {}): Complaint => ({
  ...{ appId: 'app', campaignId: 'campaign', platform: 'android', code: 'network_error', providerCode: 'NGHTTP2_PROTOCOL_ERROR' },
  ...change,
})

test('of equal failures in a minute the first is logged, as a warning that says what to do', () => {
  const { clock, lines, complain } = given()
  for (let push = 0; push < 1_000; push += 1) complain(complaint())
  expect(lines).toEqual([{ fields: complaint(), text: `pushes do not go out: ${remedies.network_error}` }])

  complain(complaint({ providerCode: 'ECONNREFUSED' }))
  complain(complaint({ platform: 'ios' }))
  complain(complaint({ appId: 'other' }))
  expect(lines).toHaveLength(4)

  clock.ms = 60_000
  complain(complaint())
  expect(lines).toHaveLength(5)
})

test('a dead token is not logged, since operators need do nothing; every other code says what to do', () => {
  const { lines, complain } = given()
  complain(complaint({ code: 'token_dead' }))
  expect(lines).toEqual([])
  expect(failureCodes.filter((code) => !remedies[code])).toEqual(['token_dead'])
})

test('5,000 different failure words in a minute make 100 warnings and a line that no more are written', () => {
  const { lines, complain } = given()
  for (let word = 0; word < 5_000; word += 1) complain(complaint({ providerCode: `${word}` }))
  expect(lines).toHaveLength(101)
  expect(lines.at(-1)?.text).toBe('no further kinds of failure are written in this minute')
})

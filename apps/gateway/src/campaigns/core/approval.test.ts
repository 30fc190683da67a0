import { expect, test } from 'vitest'
import { whyNotConfirm, type Who } from './approval.ts'

const [dana, robin]: Who[] = [
  { name: 'Dana', sessionId: 'session of Dana', adminKeyId: null },
  { name: 'Robin', sessionId: 'session of Robin', adminKeyId: null },
]
const key: Who = { name: 'key pipeline', sessionId: null, adminKeyId: 'a key' }
const token: Who = { name: 'administrator', sessionId: null, adminKeyId: null }
const askedBy = ({ name, ...rest }: Who) => ({ campaignId: 'campaign', askedBy: name, devices: 10, seen: 'a hash', at: '', ...rest })

// spec: administration/approval-second
test.each<[string, Who, Who, boolean]>([
  ['another session', dana!, robin!, true],
  ['a key', dana!, key, true],
  ['the session that asked', dana!, dana!, false],
  ['a second session of the same name', dana!, { ...dana!, sessionId: 'another' }, false],
  ['a session that began with the key that asked', key, { name: 'Robin', sessionId: 'of the key', adminKeyId: 'a key' }, false],
  ['the administration token alone', dana!, token, false],
  ['a session, of what the administration token asked', token, dana!, true],
])('a campaign that somebody asked to send can or cannot be confirmed by %s', (_, asker, who, can) => {
  expect(whyNotConfirm(askedBy(asker), who) === undefined).toBe(can)
})

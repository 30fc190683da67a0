import { expect, test } from 'vitest'
import { countTags, decideOwnership } from './identity.ts'

const anonymous = { id: 'a', externalId: null }
const asE = { id: 'e', externalId: 'E' }
const asF = { id: 'f', externalId: 'F' }

// spec: identity/login-renames, identity/login-joins, identity/login-same, identity/login-moves, identity/register-keeps-owner
test.each([
  ['an anonymous owner gets an unknown external id', anonymous, 'E', null, { kind: 'rename', userId: 'a', externalId: 'E' }],
  ['a device of an anonymous owner goes to the user who has the external id', anonymous, 'E', asE, { kind: 'join', userId: 'e' }],
  ['the external id of the owner changes nothing', asE, 'E', asE, { kind: 'stay', userId: 'e' }],
  ['an identified user is never renamed', asF, 'E', null, { kind: 'create', externalId: 'E' }],
  ['an identified user stays when the device moves', asF, 'E', asE, { kind: 'join', userId: 'e' }],
  ['without an external id an identified owner stays', asF, null, null, { kind: 'stay', userId: 'f' }],
  ['without an external id an anonymous owner stays', anonymous, null, null, { kind: 'stay', userId: 'a' }],
  ['a new device without an external id makes an anonymous user', null, null, null, { kind: 'create', externalId: null }],
  ['a new device with an unknown external id makes a user who has it', null, 'E', null, { kind: 'create', externalId: 'E' }],
  ['a new device with a known external id joins its user', null, 'E', asE, { kind: 'join', userId: 'e' }],
])('%s', (_, owner, externalId, named, expected) => {
  expect(decideOwnership(owner, externalId, named)).toEqual(expected)
})

test('for the limit of 100 tags a tag that is written again counts once, and a tag that is deleted does not count', () => {
  expect(countTags(['seat', 'plan'], {})).toBe(2)
  expect(countTags(['seat', 'plan'], { seat: 8, vip: false })).toBe(3)
  expect(countTags(['seat', 'plan'], { seat: null, vip: null })).toBe(1)
})

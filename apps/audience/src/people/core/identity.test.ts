import { expect, test } from 'vitest'
import { decideOwnership } from './identity.ts'

const anonymous = { id: 'a', externalId: null }
const asE = { id: 'e', externalId: 'E' }
const asF = { id: 'f', externalId: 'F' }

// spec: identity/login-renames, identity/login-joins, identity/login-same, identity/login-moves, identity/register-keeps-owner
test.each([
  ['an anonymous owner gets an unknown external id', anonymous, 'E', null, { kind: 'rename', userId: 'a', externalId: 'E' }],
  ['an anonymous owner gives the device to the user who has it', anonymous, 'E', asE, { kind: 'join', userId: 'e' }],
  ['the same user again changes nothing', asE, 'E', asE, { kind: 'stay', userId: 'e' }],
  ['an identified user is never renamed', asF, 'E', null, { kind: 'create', externalId: 'E' }],
  ['an identified user stays when the device moves', asF, 'E', asE, { kind: 'join', userId: 'e' }],
  ['no external id never changes an owner', asF, null, null, { kind: 'stay', userId: 'f' }],
  ['no external id leaves an anonymous owner too', anonymous, null, null, { kind: 'stay', userId: 'a' }],
  ['a new device without an external id is of a new anonymous user', null, null, null, { kind: 'create', externalId: null }],
  ['a new device of an unknown user makes them', null, 'E', null, { kind: 'create', externalId: 'E' }],
  ['a new device of a known user joins them', null, 'E', asE, { kind: 'join', userId: 'e' }],
])('%s', (_, owner, externalId, holder, expected) => {
  expect(decideOwnership(owner, externalId, holder)).toEqual(expected)
})

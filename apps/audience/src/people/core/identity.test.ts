import { expect, test } from 'vitest'
import { countTagBytes, decideOwnership, tagSizesAfter } from './identity.ts'

const anonymous = { id: 'a', externalId: null }
const asE = { id: 'e', externalId: 'E' }
const asF = { id: 'f', externalId: 'F' }

// spec: identity/login-renames, identity/login-joins, identity/login-same, identity/login-moves, identity/register-keeps-owner
test.each([
  ['the anonymous owner of a device gets an unknown external id', anonymous, 'E', null, { kind: 'rename', userId: 'a', externalId: 'E' }],
  ['a device of an anonymous owner goes to the user who has the external id', anonymous, 'E', asE, { kind: 'join', userId: 'e' }],
  ['a device stays with its owner when the external id is the owner’s', asE, 'E', asE, { kind: 'stay', userId: 'e' }],
  ['a device of an identified owner goes to a new user with an unknown external id', asF, 'E', null, { kind: 'create', externalId: 'E' }],
  ['a device of an identified owner goes to the user who has the external id', asF, 'E', asE, { kind: 'join', userId: 'e' }],
  ['without an external id a device stays with its identified owner', asF, null, null, { kind: 'stay', userId: 'f' }],
  ['without an external id a device stays with its anonymous owner', anonymous, null, null, { kind: 'stay', userId: 'a' }],
  ['a new device without an external id gets a new anonymous user', null, null, null, { kind: 'create', externalId: null }],
  ['a new device with an unknown external id gets a new user with that id', null, 'E', null, { kind: 'create', externalId: 'E' }],
  ['a new device with a known external id goes to the user who has it', null, 'E', asE, { kind: 'join', userId: 'e' }],
])('who owns a device after a registration or login: %s', (_, owner, externalId, named, expected) => {
  expect(decideOwnership(owner, externalId, named)).toEqual(expected)
})

test('for the limit of 100 tags a tag written again counts once, and a deleted one does not', () => {
  const before = tagSizesAfter(new Map(), { seat: 7, plan: 'pro' })
  expect(tagSizesAfter(before, {}).size).toBe(2)
  expect(tagSizesAfter(before, { seat: 8, vip: false }).size).toBe(3)
  expect(tagSizesAfter(before, { seat: null, vip: null }).size).toBe(1)
})

test('the bytes of tags are those of their JSON with a space behind each colon and comma', () => {
  expect(countTagBytes(new Map())).toBe('{}'.length)
  const printed = String.raw`{"name": "Zoë \"Z\"", "seat": 7}`
  expect(countTagBytes(tagSizesAfter(new Map(), { seat: 7, name: 'Zoë "Z"' }))).toBe(Buffer.byteLength(printed))
})

import { expect, test } from 'vitest'
import { addChange, changeOwner, dropOldChanges, isOwnerUncertain, nextChange, type Change } from './changes.ts'
import type { Kept } from './store.ts'

let made = 0
const change = (kind: Change['kind'], more: Partial<Change> = {}): Change => ({
  id: `change-${(made += 1)}`,
  at: Date.now(),
  kind,
  ...more,
})
const given = (changes: Change[] = [], more: Partial<Kept> = {}): Kept => ({ device: {}, reports: [], changes, ...more })
const kindsAfter = (waiting: Change['kind'][], next: Change['kind']): string[] => {
  const kept = given(waiting.map((kind) => change(kind)))
  addChange(kept, change(next))
  return kept.changes.map(({ kind }) => kind)
}

test('changes wait in the order in which they were made', () => {
  expect(kindsAfter(['user', 'login'], 'user')).toEqual(['user', 'login', 'user'])
})

test('a logout drops the earlier changes of the user and keeps those of the device', () => {
  expect(kindsAfter(['register', 'login', 'user', 'opted', 'logout'], 'logout')).toEqual(['register', 'opted', 'logout'])
})

test('opting in or out drops a waiting registration, and the last choice counts', () => {
  expect(kindsAfter(['register', 'opted', 'user'], 'opted')).toEqual(['user', 'opted'])
})

test('unsubscribing drops every waiting change but an earlier unsubscription', () => {
  expect(kindsAfter(['delete', 'register', 'login', 'user', 'opted', 'logout'], 'delete')).toEqual(['delete', 'delete'])
})

test('when 50 changes wait, those of the user’s data go, and those that protect the user stay', () => {
  const kept = given([change('logout'), change('opted'), ...Array.from({ length: 48 }, () => change('user'))])
  addChange(kept, change('user'))
  expect(kept.changes.map(({ kind }) => kind)).toEqual(['logout', 'opted', 'user'])
})

test('a change is dropped after a week, but never an opt-out, a logout or an unsubscription', () => {
  const at = Date.now() - 8 * 86_400_000
  const kept = given([
    ...(['register', 'user', 'login', 'logout', 'opted', 'delete'] as const).map((kind) => change(kind, { at })),
    change('user'),
  ])
  dropOldChanges(kept)
  expect(kept.changes.map(({ kind }) => kind)).toEqual(['logout', 'opted', 'delete', 'user'])
})

test('without a device only its registration is sent, or the deletion of an earlier one, and no registration after an opt-out', () => {
  const waiting = [change('login'), change('user'), change('register')]
  expect(nextChange(given(waiting))?.kind).toBe('register')
  expect(nextChange(given(waiting, { out: true }))).toBeUndefined()
  expect(nextChange(given([change('login'), change('delete', { device: 'a' })]))?.kind).toBe('delete')
  expect(nextChange(given(waiting, { device: { id: 'a' } }))?.kind).toBe('login')
})

test('the owner is uncertain while a logout waits, or a login of another user', () => {
  expect(isOwnerUncertain(given([change('logout')]))).toBe(true)
  expect(isOwnerUncertain(given([change('login')], { device: { person: 'hash' } }))).toBe(true)
  expect(isOwnerUncertain(given([change('login'), change('user'), change('opted')]))).toBe(false)
})

test('the last five users who were logged in before are remembered until they come back', () => {
  const kept = given([], { device: { userId: 'anonymous' } })
  changeOwner(kept, 'ada', 'hash of ada')
  expect(kept.former).toEqual([])
  changeOwner(kept, 'nobody', undefined)
  expect([kept.former, kept.device.person]).toEqual([['ada'], undefined])
  for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) changeOwner(kept, name, name)
  expect(kept.former).toEqual(['f', 'e', 'd', 'c', 'b'])
  changeOwner(kept, 'f', 'f')
  expect(kept.former).toEqual(['g', 'e', 'd', 'c', 'b'])
})

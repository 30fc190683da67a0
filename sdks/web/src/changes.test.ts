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

test('a logout drops what was said of the person before it, and nothing of the device', () => {
  expect(kindsAfter(['register', 'login', 'user', 'opted', 'logout'], 'logout')).toEqual(['register', 'opted', 'logout'])
})

test('whoever opts in or out is no longer registered by what waited, and the last word counts', () => {
  expect(kindsAfter(['register', 'opted', 'user'], 'opted')).toEqual(['user', 'opted'])
})

test('the end of a subscription drops everything but the end of an earlier one', () => {
  expect(kindsAfter(['delete', 'register', 'login', 'user', 'opted', 'logout'], 'delete')).toEqual(['delete', 'delete'])
})

test('when 50 wait, what was said of a person goes, and what protects them stays', () => {
  const kept = given([change('logout'), change('opted'), ...Array.from({ length: 48 }, () => change('user'))])
  addChange(kept, change('user'))
  expect(kept.changes.map(({ kind }) => kind)).toEqual(['logout', 'opted', 'user'])
})

test('after a week a change is forgotten, but an opt-out, a logout and an end are not', () => {
  const at = Date.now() - 8 * 86_400_000
  const kept = given([
    ...(['register', 'user', 'login', 'logout', 'opted', 'delete'] as const).map((kind) => change(kind, { at })),
    change('user'),
  ])
  dropOldChanges(kept)
  expect(kept.changes.map(({ kind }) => kind)).toEqual(['logout', 'opted', 'delete', 'user'])
})

test('without a device only its registration goes out, or the end of an earlier one; never for who has opted out', () => {
  const waiting = [change('login'), change('user'), change('register')]
  expect(nextChange(given(waiting))?.kind).toBe('register')
  expect(nextChange(given(waiting, { out: true }))).toBeUndefined()
  expect(nextChange(given([change('login'), change('delete', { device: 'a' })]))?.kind).toBe('delete')
  expect(nextChange(given(waiting, { device: { id: 'a' } }))?.kind).toBe('login')
})

test('the owner is uncertain while a logout waits, or a login of another person', () => {
  expect(isOwnerUncertain(given([change('logout')]))).toBe(true)
  expect(isOwnerUncertain(given([change('login')], { device: { person: 'hash' } }))).toBe(true)
  expect(isOwnerUncertain(given([change('login'), change('user'), change('opted')]))).toBe(false)
})

test('who was logged in before is remembered until they come back: the last five', () => {
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

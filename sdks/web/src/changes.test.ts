import { expect, test } from 'vitest'
import { addChange, changeOwner, dropOldChanges, isOwnerUncertain, nextChange } from './changes.ts'
import type { Kept, Change } from './store.ts'

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

test('changes that cannot be sent yet wait in the order in which the page made them', () => {
  expect(kindsAfter(['user', 'login'], 'user')).toEqual(['user', 'login', 'user'])
})

test('a logout drops waiting logins and changes of user data, and keeps a waiting registration or opt-out', () => {
  expect(kindsAfter(['register', 'login', 'user', 'opted', 'logout'], 'logout')).toEqual(['register', 'opted', 'logout'])
})

test('an opt-in or opt-out drops a waiting registration and an earlier opt-in or opt-out', () => {
  expect(kindsAfter(['register', 'opted', 'user'], 'opted')).toEqual(['user', 'opted'])
})

test('unsubscribing drops every waiting change except an earlier unsubscription', () => {
  expect(kindsAfter(['delete', 'register', 'login', 'user', 'opted', 'logout'], 'delete')).toEqual(['delete', 'delete'])
})

test('when 50 changes wait, the next change drops waiting changes of user data, and keeps opt-outs and logouts', () => {
  const kept = given([change('logout'), change('opted'), ...Array.from({ length: 48 }, () => change('user'))])
  addChange(kept, change('user'))
  expect(kept.changes.map(({ kind }) => kind)).toEqual(['logout', 'opted', 'user'])
})

test('a waiting change is dropped after a week, unless it is an opt-in, an opt-out, a logout or an unsubscription', () => {
  const at = Date.now() - 8 * 86_400_000
  const kept = given([
    ...(['register', 'user', 'login', 'logout', 'opted', 'delete'] as const).map((kind) => change(kind, { at })),
    change('user'),
  ])
  dropOldChanges(kept)
  expect(kept.changes.map(({ kind }) => kind)).toEqual(['logout', 'opted', 'delete', 'user'])
})

test('an unknown browser sends only its registration or its earlier device’s deletion, after an opt-out only the latter', () => {
  const waiting = [change('login'), change('user'), change('register')]
  expect(nextChange(given(waiting))?.kind).toBe('register')
  expect(nextChange(given(waiting, { out: true }))).toBeUndefined()
  expect(nextChange(given([change('login'), change('delete', { device: 'a' })]))?.kind).toBe('delete')
  expect(nextChange(given(waiting, { device: { id: 'a' } }))?.kind).toBe('login')
})

test('while a logout waits, or a login over another user, the browser’s user counts as uncertain', () => {
  expect(isOwnerUncertain(given([change('logout')]))).toBe(true)
  expect(isOwnerUncertain(given([change('login')], { device: { person: 'hash' } }))).toBe(true)
  expect(isOwnerUncertain(given([change('login'), change('user'), change('opted')]))).toBe(false)
})

test('the browser remembers the last five former users, to show no text of theirs, until they log in', () => {
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

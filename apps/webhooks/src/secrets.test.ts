import { expect, test } from 'vitest'
import { openSecrets } from './secrets.ts'

test('the newest secret seen is the one that signs, also for who was told of an older one', () => {
  const secrets = openSecrets()
  secrets.remember('endpoint', 1, 'first')
  secrets.remember('endpoint', 2, 'second')
  secrets.remember('endpoint', 1, 'first')
  expect(secrets.newest('endpoint', 1)).toBe('second')
})

test('a secret newer than what is known is not known', () => {
  const secrets = openSecrets()
  secrets.remember('endpoint', 1, 'first')
  expect(secrets.newest('endpoint', 2)).toBeUndefined()
  expect(secrets.newest('other', 1)).toBeUndefined()
})
